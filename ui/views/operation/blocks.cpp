// Matrices of an operation: the part that is drawn, its place and its numbers.
#include <algorithm>
#include <cmath>

#include "core/base/image/theme.h"
#include "core/compute/run/trace.h"
#include "core/figures/figure/colormap.h"
#include "core/teaching/explain/math_markup.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/widgets/card.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {
namespace {

/// The part of the last two axes.
Tensor slice_of(const Tensor& whole, const IndexRange& rows, const IndexRange& cols) {
  if (!whole.defined()) return {};
  const Index rank = whole.rank();
  Tensor part = whole;
  if (rank >= 2 && whole.size(-2) > 1) part = part.slice(rank - 2, rows.first, rows.count);
  if (whole.size(-1) > 1) part = part.slice(rank - 1, cols.first, cols.count);
  return part;
}

}  // namespace

IndexRange range_around(Index at, Index count, float room, float least, float most) {
  IndexRange window{0, count, room / static_cast<float>(std::max<Index>(count, 1)), false};
  if (window.size < least) {
    window.count = std::clamp<Index>(static_cast<Index>(room / least), 1, count);
    window.first = std::clamp<Index>(at - window.count / 2, 0, count - window.count);
    window.size = room / static_cast<float>(window.count);
    window.part = true;
  }
  window.size = std::min(window.size, most);
  return window;
}

Rect MatrixCut::cell(Index r, Index c) const {
  const float w = rect.width() / static_cast<float>(cols), h = rect.height() / static_cast<float>(rows);
  const float x = rect.min.x + static_cast<float>(c - col) * w, y = rect.min.y + static_cast<float>(r - row) * h;
  return {{x, y}, {x + w, y + h}};
}
Rect MatrixCut::row_at(Index r) const { return {{rect.min.x, cell(r, col).min.y}, {rect.max.x, cell(r, col).max.y}}; }
Rect MatrixCut::col_at(Index c) const { return {{cell(row, c).min.x, rect.min.y}, {cell(row, c).max.x, rect.max.y}}; }

/// In points.
struct GridGap {
  static constexpr float wide_gap = 1.6f, wide_gaps_from = 18;  ///< between cells that are at least so large
};

MatrixCut make_block(const SceneContext& context, Stage stage, const IndexRange& rows, const IndexRange& cols,
                     Rect rect, bool turned) {
  const Trace& trace = context.trace;
  MatrixCut block;
  block.stage = stage;
  block.row = rows.first;
  block.rows = rows.count;
  block.col = cols.first;
  block.cols = cols.count;
  block.turned = turned;
  block.rect = card_on_pixels(rect);
  const Cell cell = matrix_of(trace, context.view, stage);
  const Tensor& whole = trace[stage];
  block.quad = matrix_quad(context, stage,
                           slice_of(turned ? whole.transpose(whole.rank() - 2, whole.rank() - 1) : whole, rows, cols),
                           stage_range(trace, stage, window_colormap(context.view, trace, stage).kind()));
  MatrixQuad& quad = block.quad;
  quad.batch = cell.batch;
  quad.head = cell.head;
  const StageInfo& about = info(stage);
  if (about.cover != Cover::none) quad.mask = slice_of(trace[Stage::mask], rows, cols);
  quad.show_leaks = about.lane == Lane::weights;
  if (about.cover == Cover::mask_and_dropout) quad.kept = slice_of(trace.dropout_keep, rows, cols);
  quad.min = block.rect.min;
  quad.max = block.rect.max;
  const float side = std::min(block.rect.width() / static_cast<float>(block.cols),
                              block.rect.height() / static_cast<float>(block.rows));
  quad.cell_gap = side >= GridGap::wide_gaps_from * context.u ? std::round(GridGap::wide_gap * context.u)
                  : side >= LeastCell::gap * context.u        ? std::round(context.u)
                                                              : 0;
  return block;
}

MatrixCut with_numbers(const MatrixCut& block, Tensor values) {
  MatrixCut other = block;
  other.quad.values = std::move(values);
  other.quad.batch = other.quad.head = 0;
  other.quad.mask = other.quad.kept = {};
  other.quad.show_leaks = false;
  return other;
}

std::vector<float> row_numbers(const MatrixView& matrix, Index row) {
  std::vector<float> numbers;
  for (Index c = 0; c < matrix.cols; ++c) numbers.push_back(matrix(row, c));
  return numbers;
}

float largest_of(const std::vector<float>& row) {
  float most = 0;
  for (const float v : row) most = std::isfinite(v) ? std::max(most, std::abs(v)) : most;
  return most;
}

double length_of(const std::vector<float>& row) {
  double squares = 0;
  for (const float v : row) squares += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(squares);
}

void put_row_strip(Pen& pen, const std::vector<float>& numbers, float most, Rect rect, float share,
                   const std::optional<Cell>& first) {
  Buffer values(numbers.size());
  std::ranges::copy(numbers, values.begin());
  MatrixQuad quad =
      matrix_quad(pen.context(), Stage::output, Tensor({1, std::ssize(numbers)}, std::move(values)), {-most, most});
  quad.min = rect.min;
  quad.max = rect.max;
  const Rect seen{rect.min, {rect.min.x + rect.width() * share, rect.max.y}};
  pen.scene().items.emplace_back(SceneMatrix{std::move(quad), seen, first});
}

void put(Pen& pen, const MatrixCut& block, float opacity, Rect seen) {
  MatrixQuad quad = block.quad;
  quad.opacity = opacity;
  SceneMatrix matrix{std::move(quad), seen};
  if (block.own) {
    const Cell at = matrix_of(pen.context().trace, pen.context().view, block.stage);
    const Index head = has_head_axis(block.stage) && block.quad.values.rank() == 4 ? block.quad.head : at.head;
    matrix.first = block.turned ? Cell{block.stage, at.batch, head, block.col, block.row}
                                : Cell{block.stage, at.batch, head, block.row, block.col};
    matrix.turned = block.turned;
  }
  pen.scene().items.emplace_back(std::move(matrix));
}

void put_ghost(Pen& pen, const MatrixCut& block) {
  const Rect& rect = block.rect;
  pen.fill(rect, pen.look().card, Corner::cell * pen.u());
  const float gap = std::max(1.0f, std::round(pen.u()));
  const float w = rect.width() / static_cast<float>(block.cols), h = rect.height() / static_cast<float>(block.rows);
  if (std::min(w, h) < LeastCell::gap * pen.u()) return pen.box(rect, pen.look().line, gap);
  for (Index c = 0; c <= block.cols; ++c) {
    const float x = std::round(rect.min.x + static_cast<float>(c) * w);
    pen.fill({{x - gap / 2, rect.min.y}, {x + gap / 2, rect.max.y}}, pen.look().line);
  }
  for (Index r = 0; r <= block.rows; ++r) {
    const float y = std::round(rect.min.y + static_cast<float>(r) * h);
    pen.fill({{rect.min.x, y - gap / 2}, {rect.max.x, y + gap / 2}}, pen.look().line);
  }
}

float cell_margin(const Pen& pen) { return Space::gap * pen.u(); }

float fitting(const Pen& pen, const MatrixCut& block, MatrixNumbers& figures, float pixels) {
  const float w = block.rect.width() / static_cast<float>(block.cols) - cell_margin(pen) * 0.6f;
  const float h = block.rect.height() / static_cast<float>(block.rows) - Space::fine * pen.u();
  const float least = size_not_below(pen.context().fonts, Face::mono, pen.type.least);
  const auto width = [&](const MatrixNumbers& as, float size) {
    return pen.digit(size) * static_cast<float>(as.longest());
  };
  if (MatrixNumbers longer = figures; longer.lengthen() && width(longer, pixels) <= w) figures = longer;
  do {
    for (const float size : {pixels, least}) {
      if (width(figures, size) <= w && pen.context().fonts.crisp(Face::mono, size) <= h) return size;
    }
  } while (figures.shorten());
  return 0;
}

float largest_type(const Pen& pen, const MatrixCut& block, const MatrixNumbers& figures) {
  const float w = block.rect.width() / static_cast<float>(block.cols),
              h = block.rect.height() / static_cast<float>(block.rows);
  for (const float larger : {1.9f, 1.6f, 1.35f, 1.15f}) {
    const float pixels = pen.type.number * larger;
    if (pen.context().fonts.crisp(Face::mono, pixels) <= 0.4f * h &&
        pen.digit(pixels) * static_cast<float>(figures.longest()) <= 0.72f * w)
      return pixels;
  }
  return pen.type.number;
}

void write(Pen& pen, const MatrixCut& block, const MatrixNumbers& figures, float pixels,
           const std::function<bool(Index, Index)>& has) {
  if (pixels <= 0) return;
  const MatrixQuad& quad = block.quad;
  const MatrixView numbers = quad.values.matrix(quad.batch, quad.head);
  CellMasks masks;
  if (quad.mask.defined()) masks.allowed = quad.mask.matrix(quad.batch, quad.head);
  if (quad.kept.defined()) masks.kept = quad.kept.matrix(quad.batch, quad.head);
  masks.show_leaks = quad.show_leaks;
  for (Index r = 0; r < numbers.rows; ++r) {
    for (Index c = 0; c < numbers.cols; ++c) {
      if (!has(block.row + r, block.col + c)) continue;
      const float value = numbers(r, c);
      const CellKind kind = classify(numbers, masks, r, c);
      const ImVec2 centre = block.cell(block.row + r, block.col + c).centre();
      if (kind == CellKind::value) {
        pen.number(pixels, centre, Align::middle, to_imgui(ink_on(quad.colormap->at(normalise(value, quad.range)))),
                   figures(value));
      } else {
        const bool zero = quad.show_leaks && value == 0;
        pen.number(pixels, centre, Align::middle, pen.look().muted, zero ? "0" : MatrixNumbers(1, false)(value));
      }
    }
  }
}

void target_cells(Pen& pen, const MatrixCut& block) {
  Cell cell = matrix_of(pen.context().trace, pen.context().view, block.stage);
  for (cell.row = block.row; cell.row < block.row + block.rows; ++cell.row) {
    for (cell.col = block.col; cell.col < block.col + block.cols; ++cell.col)
      pen.target(block.cell(cell.row, cell.col), SceneAction::look_at, 0, cell);
  }
}

ImU32 sign_colour(const Pen& pen, float value) {
  return to_imgui(window_colormap(pen.context().view, Stage::scores).at(value < 0 ? 0.22f : 0.78f));
}

std::string sizes_of(const MatrixView& matrix) {
  return std::to_string(matrix.rows) + " × " + std::to_string(matrix.cols);
}

std::string part_of(const SceneContext& context, const IndexRange& rows, const IndexRange& cols) {
  std::string words;
  for (const auto& [window, key] : {std::pair(&rows, "level.rows_shown"), std::pair(&cols, "level.columns_shown")}) {
    if (!window->part) continue;
    words += (words.empty() ? "" : ", ") + context.words.fill(key, {window->first, window->first + window->count - 1});
  }
  return words;
}

void put_whole(Pen& pen, Stage stage, Rect room, const IndexRange& rows, const IndexRange& cols,
               const std::optional<ValueRange>& range) {
  const Trace& trace = pen.context().trace;
  const MatrixView matrix = numbers_of(trace, pen.context().view, stage);
  const float side =
      std::min(room.width() / static_cast<float>(matrix.cols), room.height() / static_cast<float>(matrix.rows));
  const ImVec2 size{
      std::max(side * static_cast<float>(matrix.cols), std::min(room.width(), Space::section * pen.u())),
      std::max(side * static_cast<float>(matrix.rows), std::min(room.height(), Space::section * pen.u()))};
  const Rect rect{room.min, {room.min.x + size.x, room.min.y + size.y}};
  MatrixCut whole = make_block(pen.context(), stage, {0, matrix.rows, 0, false}, {0, matrix.cols, 0, false}, rect);
  if (range) whole.quad.range = *range;
  pen.fill(whole.rect, pen.look().card);
  put(pen, whole);
  pen.box(whole.rect.grown(1), pen.look().line, 1);
  if (!rows.part && !cols.part) return;
  const Rect from = whole.cell(rows.first, cols.first), to = whole.cell(rows.end() - 1, cols.end() - 1);
  pen.box(Rect{from.min, to.max}.grown(Outset::cell * pen.u()), pen.look().ink, Stroke::frame(pen.u()),
          Corner::mark * pen.u());
}

std::string plain_symbol(const SceneContext& context, Stage stage) {
  if (is_parameter(stage)) return std::string(name(stage));
  static constexpr const char* digits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string words;
  bool lowered = false;
  for (const char letter : plain_math(symbol_of(context, stage))) {
    if (letter == '_') {
      lowered = true;
      continue;
    }
    lowered = lowered && letter >= '0' && letter <= '9';
    words += lowered ? std::string(digits[letter - '0']) : std::string(1, letter);
  }
  return words;
}

std::string symbol_of(const SceneContext& context, Stage stage) {
  const Trace& trace = context.trace;
  if (is_input(stage) && trace.inputs.self_attention()) return "X";
  const std::string symbol(info(stage).symbol);
  const bool counted = has_head_axis(stage) && stage != Stage::mask && trace.dims().heads > 1;
  return counted ? symbol + "_{" + std::to_string(matrix_of(trace, context.view, stage).head) + "}" : symbol;
}

}  // namespace headlight::operation
