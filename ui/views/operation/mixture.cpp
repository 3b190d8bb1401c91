// The weighted sum of the values: each word's value is a strip as wide as its weight, and the strips are added up to
// the result. A click on one number of the result opens its sum.
#include <algorithm>
#include <cmath>

#include "core/compute/run/trace.h"
#include "core/teaching/explain/explain.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/bands.h"

namespace headlight::operation {
namespace {

/// In points.
struct MixtureSizes {
  static constexpr float sum_beside_from = 1000, beside_sum = 28;
  static constexpr RoomShare sum_width{0.28f, 330, 440}, names_width{0.13f, 84, 186};
  static constexpr float result_wide = 60, before_result = 44, least_numbers = 40;
  static constexpr float names_down = 120;  ///< from the upper ends of the strips to their name
  static constexpr float names_with_map_from = 120, map_height = 128;
};

/// Shares of the stage's time: the strips get the widths of their weights, then move into the result one by one.
constexpr float narrow_from = 0.05f, narrow_until = 0.35f, mixed_at = 0.8f;

struct Mixture : TaskPart {
  const Operands operands = operands_of(trace, Stage::head_outputs);
  const Cell cell = cell_of(trace, view, Stage::head_outputs, task.focus);
  const Band weights = band_of(task, operands.left);
  const MatrixView values = numbers_of(trace, view, operands.right);
  const Index d_head = values.cols, n_k = values.rows;
  const bool open = view.levels.unfolded && !is_guessed(context);
  Rect area = task.area;
  Table table{};
  Rect card{}, strips{}, result{};
  float names_above = 0, pixels = 0, line = 0;  ///< heights: of the words, of the weights' font, of their line
  float narrowed = 1;                           ///< 0: all strips are equally wide; 1: as wide as their weights
  std::vector<float> on_way{};                  ///< for each key, how far its strip has moved; 1: it is added
  bool whole = true;                            ///< all strips are added

  void lay_out() {
    const bool beside = area.width() >= MixtureSizes::sum_beside_from * u && !presenting;
    if (open && beside) {
      const float width = MixtureSizes::sum_width.of(area.width(), u);
      card = {{area.max.x - width, area.min.y}, area.max};
      area.max.x -= width + MixtureSizes::beside_sum * u;
    } else if (open) {
      card = {{area.min.x, area.min.y + area.height() * 0.42f}, area.max};
      area.max.y = card.min.y - Space::apart * u;
    }
    MatrixNumbers figures(numbers_of(trace, view, Stage::head_outputs));
    const float number = pen.digit() * static_cast<float>(figures.longest());
    const float strip = std::min(MixtureSizes::result_wide * u, area.width() * 0.06f);
    const float right =
        MixtureSizes::before_result * u + strip + Space::card * u + std::max(number, MixtureSizes::least_numbers * u);
    table.names = MixtureSizes::names_width.of(area.width(), u);
    const float width = area.width() - table.names - right;
    table.keys = range_around(task.focus.key, n_k, width, pen.digit() * 4.6f + Space::near * u, MostCell::key * u);
    const float left = area.min.x + table.names;
    table.area = {{left, area.min.y}, {left + table.keys.extent(), area.max.y}};
    names_above = key_room(pen, table.keys) + Space::tight * u;
    MatrixNumbers shares = figures_of(weights, table.keys);
    pixels = size_in(task, table.keys, shares, pen.type.number * 1.5f);
    line = std::max(pixels, pen.type.number) * 1.5f + Space::row * u;
    const float top = area.min.y + names_above + line + Space::gap * u, low = area.max.y - pen.type.caption * 2.2f;
    strips = {{table.area.min.x, top}, {table.area.max.x, std::max(low, top + Space::wide * u)}};
    const float x = table.area.max.x + MixtureSizes::before_result * u;
    result = {{x, strips.min.y}, {x + strip, strips.max.y}};
  }

  void find_progress() {
    const Reveal& reveal = task.reveal;
    on_way.assign(static_cast<std::size_t>(n_k), 1.0f);
    if (reveal.share) {
      narrowed = std::max(eased(part_done(*reveal.share, narrow_from, narrow_until)), 0.001f);
      whole = *reveal.share >= mixed_at;
      const float share = part_done(*reveal.share, narrow_until, mixed_at);
      for (Index k = 0; k < n_k; ++k) on_way[static_cast<std::size_t>(k)] = one_by_one(share, k, n_k);
    } else if (reveal.terms) {
      whole = *reveal.terms >= n_k;
      for (Index k = 0; k < n_k; ++k) on_way[static_cast<std::size_t>(k)] = k < *reveal.terms ? 1.0f : 0.0f;
    } else if (!reveal.whole()) {
      whole = false;
      const bool made = reveal.shown.has(cell.row, cell.col) || reveal.shown.has(cell.row, 0);
      std::ranges::fill(on_way, made ? 1.0f : 0.0f);
    }
  }
  bool has_landed() const {
    return std::ranges::any_of(on_way, [](float t) { return t >= 1; });
  }
  bool has(Index feature) const {
    if (whole) return true;
    return task.reveal.share || task.reveal.terms ? has_landed() : task.reveal.shown.has(cell.row, feature);
  }
  /// The sum of the strips that are added.
  float so_far_of(Index feature) const {
    if (whole || !(task.reveal.share || task.reveal.terms))
      return numbers_of(trace, view, Stage::head_outputs)(cell.row, feature);
    float sum = 0;
    for (Index k = 0; k < n_k; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (on_way[i] >= 1) sum += weights.values[i] * values(k, feature);
    }
    return sum;
  }

  Rect strip_of(Index k) const {
    const float share = weights.values[static_cast<std::size_t>(k)];
    const float half =
        strip_width(pen, table.keys.size) * (std::isfinite(share) ? std::clamp(share, 0.0f, 1.0f) : 0) / 2;
    const float x = table.column(k).centre().x;
    return {{x - half, strips.min.y}, {x + half, strips.max.y}};
  }

  void put_share(Index k, Rect rect) const {
    pen.fill(rect, look.word(k), Corner::mark * u);
    Cell share = matrix_of(trace, view, operands.left);
    share.row = cell.row;
    share.col = k;
    pen.mark(share);
  }

  /// Above each strip its weight: a bar in the word's colour, as wide as the strip, and the number.
  void put_shares() const {
    MatrixNumbers figures = figures_of(weights, table.keys);
    const float size = size_in(task, table.keys, figures, pen.type.number * 1.5f);
    for (Index k = table.keys.first; k < table.keys.end(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      const Rect strip = strip_of(k);
      const float x = strip.centre().x, low = strips.min.y - Space::gap * u;
      if (strip.width() > 0) put_share(k, {{strip.min.x, low - Space::card * u}, {strip.max.x, low}});
      if (size <= 0) continue;
      const CellKind kind = weights.kinds[i];
      pen.number(size, {x, low - Space::row * u - size * 0.6f}, Align::middle,
                 k == task.focus.key ? look.ink : look.muted,
                 kind == CellKind::value ? figures(weights.values[i])
                 : kind == CellKind::nan ? "NaN"
                                         : "0");
    }
  }

  void put_words() const {
    const float under = area.min.y + names_above;
    name_keys(pen, table.keys, {{table.area.min.x, under}, {table.area.max.x, under + 1}}, true, names_above,
              task.focus.key, look.word_ink(task.focus.key));
    put_band_name(task, table, strips.min.y - Space::part * u - line * 0.3f, symbol_of(context, operands.left),
                  look.after, say("level.band_share"));
    const float low = strips.min.y +
                      std::max(std::min(strips.height() * 0.5f, MixtureSizes::names_down * u), 1.6f * pen.type.formula);
    if (low + pen.type.formula < strips.max.y)
      put_band_name(task, table, low, symbol_of(context, operands.right), look.v, say("facet.values"));
    const std::string part = part_of(context, {}, table.keys);
    const float y = strips.max.y + pen.type.caption;
    if (!part.empty()) pen.caption({strips.min.x, y}, Align::left, part);
  }

  void put_flights() const {
    for (Index k = table.keys.first; k < table.keys.end(); ++k) {
      const float t = on_way[static_cast<std::size_t>(k)];
      if (t <= 0 || t >= 1 || strip_of(k).width() <= 0) continue;
      put(pen, make_block(context, operands.right, {0, d_head, 0, false}, {k, 1, 0, n_k > 1},
                          mixed(strip_of(k), result, eased(t)), true));
    }
  }

  Rect result_cell(Index feature) const {
    const float high = result.height() / static_cast<float>(d_head);
    const float y = result.min.y + static_cast<float>(feature) * high;
    return {{result.min.x, y}, {result.max.x, y + high}};
  }

  void put_result() const {
    const MatrixCut block =
        make_block(context, Stage::head_outputs, {0, d_head, 0, false},
                   {cell.row, 1, 0, numbers_of(trace, view, Stage::head_outputs).rows > 1}, result, true);
    put_ghost(pen, block);
    Index shown = 0;
    while (shown < d_head && has(shown)) ++shown;
    if (shown > 0) {
      Buffer sums(static_cast<std::size_t>(d_head));
      for (Index f = 0; f < d_head; ++f) sums[static_cast<std::size_t>(f)] = so_far_of(f);
      put(pen, with_numbers(block, Tensor({d_head, 1}, std::move(sums))), 1,
          {result.min, {result.max.x, result_cell(shown - 1).max.y}});
    }
    pen.box(result.grown(Outset::cell * u), look.after, Stroke::firm(u), Corner::cell * u);
    pen.number(pen.type.title, {result.min.x - Space::section * u, result.centre().y}, Align::middle, look.muted, "=");
    const std::string word = query_word(context, task.focus.query);
    const float most = area.max.x - result.min.x + Space::wide * u, size = pen.bold(pen.type.word);
    const Rect name = pen.text(TextRole::word, Face::bold, size, {result.min.x, area.min.y + names_above * 0.5f},
                               Align::left, look.after, word, most);
    pen.target(name.grown(Space::tight * u), SceneAction::query_word, task.focus.query);
    pen.math(pen.type.formula, {result.min.x, strips.min.y - Space::part * u}, most, look.after, false,
             symbol_of(context, Stage::head_outputs));
    pen.add_content(result);
  }

  /// The numbers of the result; a click on one shows its sum. The chosen row is framed across all strips.
  void put_numbers() const {
    MatrixNumbers figures(numbers_of(trace, view, Stage::head_outputs));
    const float high = result.height() / static_cast<float>(d_head);
    const bool all = high >= context.fonts.crisp(Face::mono, pen.type.number) * 1.1f;
    for (Index f = 0; f < d_head; ++f) {
      const Rect at = result_cell(f);
      Cell own = cell;
      own.col = f;
      const Rect wide{at.min, {area.max.x, at.max.y}};
      pen.target(wide, SceneAction::unfold, open && f == cell.col ? 0 : 1, own);
      if (has(f) && (all || f == cell.col))
        pen.number(pen.type.number, {at.max.x + Space::apart * u, at.centre().y}, Align::left,
                   f == cell.col ? look.ink : look.muted, figures(so_far_of(f)));
    }
    const Rect lit = result_cell(cell.col);
    pen.box({{table.area.min.x, lit.min.y - u}, {lit.max.x + Space::thin * u, lit.max.y + u}}, look.ink,
            Stroke::frame(u), Corner::mark * u);
    if (open || presenting || is_guessed(context)) return;
    const std::string hint(say("mixture.open"));
    if (pen.measure(Face::ui, pen.type.caption, hint).x <= area.max.x - table.area.min.x)
      pen.caption({area.max.x, strips.max.y + pen.type.caption}, Align::right, hint);
  }

  void put_card() const {
    if (!open) return;
    const bool made = whole || (!task.reveal.share && !task.reveal.terms && has(cell.col));
    const auto landed = static_cast<Index>(std::ranges::count_if(on_way, [](float t) { return t >= 1; }));
    const Sum sum = sum_of(task, operands, cell, made ? n_k : std::min(landed, n_k - 1));
    put_sum(task, sum, lay_out_sum(task, sum, card, true));
  }

  Rect left_over() const {
    if (presenting || table.names < MixtureSizes::names_with_map_from * u) return {};
    return {{area.min.x, strips.max.y - MixtureSizes::map_height * u},
            {area.min.x + table.names - Space::card * u, area.max.y}};
  }
};

}  // namespace

Rect mixture(const Task& task) {
  Mixture picture{task};
  picture.lay_out();
  picture.find_progress();
  picture.put_words();
  picture.put_shares();
  put_key_strips(task, picture.table, picture.operands.right, picture.weights, picture.narrowed, picture.strips);
  picture.put_result();
  picture.put_flights();
  picture.put_numbers();
  picture.put_card();
  return picture.left_over();
}

}  // namespace headlight::operation
