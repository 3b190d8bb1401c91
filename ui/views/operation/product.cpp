// A matrix product: A at the left, B above, the result in the corner between them.
#include <algorithm>
#include <utility>

#include "core/base/image/theme.h"
#include "core/figures/figure/colormap.h"
#include "core/teaching/explain/explain.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {
namespace {

/// In points.
struct ProductSizes {
  static constexpr float sum_at_right_from = 1040, beside_sum = 28, least_sum = 320;
  static constexpr RoomShare sum_card{0.245f, 320, 440};
  static constexpr float highest_row = 64, widest_column = 96;  ///< of the result, unless the room is large
  static constexpr float usual_term = 14, widest_term = 30;
};

/// In points.
struct WholeMatrix {
  static constexpr float left = 200, below = 60, least = 40;
};

/// Shares of the stage's time: the sum of the chosen number begins, and is whole; then come the numbers after it.
constexpr float begins = 0.3f, ends = 0.8f;

/// How much of the result is computed.
struct Made {
  Index before = 0;   ///< numbers that are whole, row by row
  Index terms = 0;    ///< added terms of the chosen number
  bool rest = false;  ///< all numbers are whole
};

Made made_at(const Reveal& reveal, const MatrixCut& block, const Cell& cell, Index terms) {
  if (!reveal.share) return {0, reveal.terms.value_or(reveal.shown.has(cell.row, cell.col) ? terms : 0), true};
  const float share = *reveal.share;
  const Index index = (cell.row - block.row) * block.cols + cell.col - block.col;
  if (share < begins) return {static_cast<Index>(share / begins * static_cast<float>(index)), 0, false};
  if (share < ends) return {index, terms_landed((share - begins) / (ends - begins), terms), false};
  const Index left = block.rows * block.cols - index - 1;
  const auto more = static_cast<Index>((share - ends) / (1 - ends) * static_cast<float>(left + 1));
  return {index + 1 + more, terms, share >= 1};
}

/// The rectangles of A, B, the result and the sum.
struct Places {
  Rect left, above, result, sum;
  Rect corner;  ///< left of B, above A
  IndexRange rows, cols;
  float names = 0, names_above = 0;  ///< room for the names of rows and of columns
  bool sum_in_corner = false;
};

/// Lays a product out: the sum at the right or in the corner; then the heights, of which B gets a share and the rows
/// the rest; then the widths, of which the result gets what its numbers need and A the rest.
struct ProductLayout : TaskPart {
  const Operands& operands;
  const Cell& cell;
  MatrixNumbers& figures;  ///< of the result; shortened if that shows more columns
  const MatrixView left = numbers_of(trace, view, operands.left), result = numbers_of(trace, view, task.stage);
  const StageInfo& about = info(task.stage);
  const float terms = static_cast<float>(left.cols), gap = Space::apart * u;
  Rect area = task.area;
  Places to{};

  Places lay_out() {
    to.sum_in_corner = presenting || area.width() < ProductSizes::sum_at_right_from * u;
    if (!to.sum_in_corner) {
      const float card = ProductSizes::sum_card.of(area.width(), u);
      to.sum = {{area.max.x - card, area.min.y}, area.max};
      area.max.x -= card + ProductSizes::beside_sum * u;
    }
    const float caption = pen.type.caption * 1.7f, share = to.sum_in_corner ? 0.54f : 0.36f;
    const float rough = area.height() - caption - gap - pen.type.word * 3;  // before the names' height is known
    float above = height_above(rough, share);
    to.rows = rows_in(rough - above);
    to.names = std::min(row_room(pen, to.rows, about.rows), area.width() * 0.2f);
    const float wide = area.width() - to.names - gap;
    to.cols = columns_in(wide);
    to.names_above = about.cols == Axis::key ? key_room(pen, to.cols) : pen.type.caption * 1.5f;
    const float height = area.height() - caption - gap - to.names_above;
    above = std::min(above, height * share);
    to.rows = rows_in(height - above);
    place(above, wide);
    return to;
  }

  float number_height() const { return context.fonts.crisp(Face::mono, pen.type.number); }
  /// Rows are higher in a large window.
  IndexRange rows_in(float height) const {
    return range_around(cell.row, result.rows, height, number_height() * 1.45f,
                        std::max(ProductSizes::highest_row * u, area.height() * 0.09f));
  }

  /// The least height of the sum beside B: enough terms are visible to see it grow.
  float least_sum_height() const {
    const bool bias = is_parameter(operands.right) && trace.has(bias_beside(operands.right));
    return pen.type.word * 2 + number_height() * 1.6f * (std::min(terms, 3.0f) + (bias ? 1.0f : 0.0f)) +
           pen.type.great * 1.15f + pen.type.caption * 1.6f;
  }
  /// B's height: what its terms need, or what the rows leave; at most a share of the whole.
  float height_above(float rough, float share) const {
    if (!to.sum_in_corner) return std::clamp(terms * ProductSizes::usual_term * u, rough * 0.22f, rough * share);
    const float rows_want = number_height() * 1.5f * static_cast<float>(result.rows);
    return std::clamp(std::max(rough - rows_want, least_sum_height()), rough * 0.28f, rough * share);
  }

  /// The result's columns. Keys are all shown before all digits are; of features a part, with all digits.
  IndexRange columns_in(float wide) const {
    const float digits = pen.digit(), most = wide * 0.62f;
    const auto needed = [&] { return digits * static_cast<float>(figures.longest()) + cell_margin(pen); };
    while (about.cols == Axis::key && needed() * static_cast<float>(result.cols) > most && figures.shorten()) continue;
    const float all = needed() * static_cast<float>(result.cols);
    const float aim = to.sum_in_corner ? wide * 0.56f : std::min(most, std::max(wide * 0.5f, all));
    return range_around(cell.col, result.cols, all > aim ? most : aim, needed(),
                        to.sum_in_corner ? 1e6f : std::max(ProductSizes::widest_column * u, wide * 0.09f));
  }

  void place(float above, float wide) {
    const float result_width = to.cols.extent(), deep = to.rows.extent();
    const float left_width =
        std::min(wide - result_width,
                 to.sum_in_corner ? 1e6f : terms * std::max(ProductSizes::widest_term * u, to.rows.size * 1.3f));
    const float x = area.min.x + to.names, y = area.min.y + to.names_above;
    const float middle = x + left_width + gap, down = y + above + gap;
    to.left = {{x, down}, {x + left_width, down + deep}};
    to.above = {{middle, y}, {middle + result_width, y + above}};
    to.result = {{middle, down}, {middle + result_width, down + deep}};
    to.corner = {{area.min.x, area.min.y}, {middle - gap, down - gap}};
  }
};

Places lay_out(const Task& task, const Operands& operands, const Cell& cell, MatrixNumbers& figures) {
  ProductLayout layout{task, operands, cell, figures};
  return layout.lay_out();
}

/// The numbers of an operand, if all of them fit with all their digits.
void write_fitting(Pen& pen, const MatrixCut& block, const MatrixView& numbers,
                   const std::function<bool(Index, Index)>& has) {
  MatrixNumbers figures(numbers);
  const int digits = figures.decimals();
  const float pixels = fitting(pen, block, figures, largest_type(pen, block, figures));
  if (figures.decimals() == digits) write(pen, block, figures, pixels, has);
}

/// The symbol and the size of an operand or the result, in a line that ends or begins at `at`.
void put_name(const Task& task, Stage stage, bool turned, ImVec2 at, Align align, const std::string& note) {
  Pen& pen = task.pen;
  const MatrixView matrix = numbers_of(task.trace(), task.context().view, stage);
  const std::string symbol = symbol_of(task.context(), stage) + (turned ? "^T" : "");
  const std::string sizes =
      turned ? std::to_string(matrix.cols) + " × " + std::to_string(matrix.rows) : sizes_of(matrix);
  const std::string words = note.empty() ? sizes : sizes + ", " + note;
  const float room = pen.measure(Face::ui, pen.type.caption, words).x + Space::gap * task.u();
  if (align == Align::right) {
    pen.caption(at, Align::right, words);
    pen.math(pen.type.formula, {at.x - room, at.y}, 1e6f, pen.look().lane(stage), false, symbol, 0, Align::right);
    return;
  }
  const float width = pen.math(pen.type.formula, at, 1e6f, pen.look().lane(stage), false, symbol);
  pen.caption({at.x + width + Space::gap * task.u(), at.y}, Align::left, words);
}

/// The three matrices of a product and the sum of the chosen number.
struct Product : TaskPart {
  const Operands operands = operands_of(trace, task.stage);
  const Index terms = product_terms(trace, task.stage);
  const Cell cell = cell_of(trace, view, task.stage, task.focus);
  MatrixNumbers figures{numbers_of(trace, view, task.stage), {}};
  const Places at = lay_out(task, operands, cell, figures);
  const IndexRange all_terms{0, terms, 0, false};
  const MatrixCut left = make_block(context, operands.left, at.rows, all_terms, at.left);
  const MatrixCut above = make_block(context, operands.right, all_terms, at.cols, at.above, !operands.terms_are_rows);
  MatrixCut result = make_block(context, task.stage, at.rows, at.cols, at.result);
  const Made made = made_at(task.reveal, result, cell, terms);
  const Sum sum = sum_of(task, operands, cell, made.terms);
  float pixels = 0;  ///< of the result's numbers

  /// Whether a number of the result is computed; false for the chosen one, which is drawn separately.
  bool has(Index r, Index c) const {
    if (r == cell.row && c == cell.col) return false;
    if (task.reveal.terms) return true;
    if (task.reveal.share) return made.rest || (r - result.row) * result.cols + c - result.col < made.before;
    return task.reveal.shown.has(r, c);
  }

  /// A's row and B's column are bright as far as their terms are added; the rest is pale.
  void put_operands() const {
    const float lit = made.terms > 0 ? static_cast<float>(made.terms) / static_cast<float>(terms) : 0;
    const Rect row = left.row_at(cell.row), col = above.col_at(cell.col);
    put(pen, left, 0.28f);
    put(pen, above, 0.28f);
    put(pen, left, 1, {row.min, {row.min.x + row.width() * lit, row.max.y}});
    put(pen, above, 1, {col.min, {col.max.x, col.min.y + col.height() * lit}});
    write_fitting(pen, left, numbers_of(trace, view, operands.left),
                  [&](Index r, Index c) { return r == cell.row && c < made.terms; });
    write_fitting(pen, above, numbers_of(trace, view, operands.right),
                  [&](Index r, Index c) { return c == cell.col && r < made.terms; });
    pen.frame(row.grown(Outset::cell * u), look.lane(operands.left));
    pen.frame(col.grown(Outset::cell * u), look.lane(operands.right));
  }

  /// The rows that are computed, and the beginning of the next one.
  void put_rows_so_far() const {
    for (Index r = result.row; r < result.row + result.rows; ++r) {
      const auto is_there = [&](Index c) {
        const bool chosen = r == cell.row && c == cell.col;
        return has(r, c) ||
               (chosen && (task.reveal.share ? made.before > (r - result.row) * result.cols + c - result.col
                                             : task.reveal.shown.has(r, c)));
      };
      Index count = 0;
      while (count < result.cols && is_there(result.col + count)) ++count;
      const Rect line = result.row_at(r);
      if (count > 0) put(pen, result, 1, {line.min, {result.cell(r, result.col + count - 1).max.x, line.max.y}});
    }
  }

  void put_result() {
    put_ghost(pen, result);
    if (task.reveal.whole() || (task.reveal.share && made.rest) || task.reveal.terms) put(pen, result);
    else put_rows_so_far();
    pixels = fitting(pen, result, figures, largest_type(pen, result, figures));
    write(pen, result, figures, pixels, [&](Index r, Index c) { return has(r, c); });
    target_cells(pen, result);
  }

  /// The chosen number, as far as its terms are added.
  void put_chosen() const {
    const float now = so_far(sum);
    const Rect box = result.cell(cell.row, cell.col);
    const bool any = made.terms > 0;
    const Rgba ground = result.quad.colormap->at(normalise(now, result.quad.range));
    pen.fill(box, any ? to_imgui(ground) : look.card);
    if (any && pixels > 0) pen.number(pixels, box.centre(), Align::middle, to_imgui(ink_on(ground)), figures(now));
    pen.box(box.grown(Outset::cell * u), look.ink, Stroke::followed(u), Corner::cell * u);
    if (const auto share = task.reveal.share; share && *share >= begins && *share < ends && !is_guessed(context))
      put_flights(pen, left, above, box, cell, sum, (*share - begins) / (ends - begins));
  }

  void put_names() const {
    const StageInfo& about = info(task.stage);
    name_rows(pen, left, about.rows, at.left.min.x, at.names, cell.row, look.lane(operands.left));
    if (about.cols == Axis::key)
      name_keys(pen, at.cols, above.rect, true, at.names_above, cell.col, look.lane(operands.right));
    else
      pen.label(TextRole::caption, true, pen.type.caption,
                {above.col_at(cell.col).centre().x, at.above.min.y - at.names_above / 2}, Align::middle,
                look.lane(operands.right), std::to_string(cell.col));
    const float caption = pen.type.caption * 0.95f;
    const MatrixView whole = numbers_of(trace, view, task.stage);
    std::string note = part_of(context, {result.row, result.rows, 0, result.rows < whole.rows},
                               {result.col, result.cols, 0, result.cols < whole.cols});
    if (note.empty() && task.stage == Stage::scores) note = say("level.each_pair");
    put_name(task, task.stage, false, {at.result.min.x, at.result.max.y + caption}, Align::left, note);
    put_name(task, operands.left, false, {at.left.min.x, at.left.max.y + caption}, Align::left, "");
    if (!at.sum_in_corner)  // else the sum takes its place
      put_name(task, operands.right, !operands.terms_are_rows, {at.above.min.x - Space::card * u, at.above.centre().y},
               Align::right, "");
  }

  /// The sum as a card at the right, else in the corner.
  void put_card() const {
    Rect card = at.sum_in_corner ? at.corner : at.sum;
    if (at.sum_in_corner) card.max.x -= Space::wide * u;
    else card.max.y = std::min(card.max.y, std::max(at.result.max.y, card.min.y + ProductSizes::least_sum * u));
    put_sum(task, sum, lay_out_sum(task, sum, card, !at.sum_in_corner));
    const float side = std::min(at.corner.height() - WholeMatrix::below * u,
                                at.corner.width() - (WholeMatrix::left + Space::wide) * u),
                x = at.corner.min.x + WholeMatrix::left * u;
    if (!at.sum_in_corner && (at.rows.part || at.cols.part) && side > WholeMatrix::least * u)
      put_whole(pen, task.stage, {{x, at.corner.min.y}, {x + side, at.corner.min.y + side}}, at.rows, at.cols);
  }
};

}  // namespace

Sum sum_of(const Task& task, const Operands& operands, const Cell& cell, Index terms) {
  const Trace& trace = task.trace();
  const View& view = task.context().view;
  const Look& look = task.pen.look();
  const MatrixView left = numbers_of(trace, view, operands.left), right = numbers_of(trace, view, operands.right);
  Sum sum;
  sum.left_stage = operands.left;
  sum.right_stage = operands.right;
  sum.stage = task.stage;
  sum.left_colour = look.lane(operands.left);
  sum.right_colour = look.lane(operands.right);
  sum.total = value_at(trace, cell);
  sum.done = terms;
  const bool by_key = operands.left == Stage::weights || operands.left == Stage::dropped_weights;
  for (Index i = 0; i < left.cols; ++i) {
    sum.left.push_back(left(cell.row, i));
    sum.right.push_back(operands.terms_are_rows ? right(i, cell.col) : right(cell.col, i));
    if (by_key && has_words(task.context(), Axis::key)) sum.names.push_back(key_word(task.context(), i));
  }
  const Axis rows = info(task.stage).rows;
  sum.title_left = rows == Axis::query ? query_word(task.context(), cell.row) : key_word(task.context(), cell.row);
  sum.title_right =
      info(task.stage).cols == Axis::key
          ? key_word(task.context(), cell.col)
          : task.context().words.fill("level.column", {plain_symbol(task.context(), operands.right), cell.col});
  if (is_parameter(operands.right) && trace.has(bias_beside(operands.right)))
    sum.bias = trace[bias_beside(operands.right)].matrix()(0, cell.col);
  return sum;
}

Rect product(const Task& task) {
  Product product{task};
  if (task.reveal.terms) {
    const IndexRange &rows = product.at.rows, &cols = product.at.cols;
    const Tensor partial = partial_product(product.trace, task.stage, product.view.batch,
                                           has_head_axis(task.stage) ? product.view.head : 0, *task.reveal.terms);
    product.result =
        with_numbers(product.result, partial.slice(0, rows.first, rows.count).slice(1, cols.first, cols.count));
  }
  for (const MatrixCut* block : {&product.left, &product.above, &std::as_const(product.result)})
    product.pen.add_content(block->rect);
  product.put_operands();
  product.put_result();
  product.put_chosen();
  product.put_names();
  product.put_card();
  return product.at.sum_in_corner ? Rect{} : product.at.corner;
}

}  // namespace headlight::operation
