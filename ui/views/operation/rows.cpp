// Steps that change one row of scores or weights number by number: the row before and after as bands, one below the
// other, with the keys' words below them. Scores are cells; a mask hatches some of them; dropout sets some weights to
// zero and scales the others.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/image/theme.h"
#include "core/base/text/number_text.h"
#include "core/figures/figure/colormap.h"
#include "core/teaching/explain/explain.h"
#include "ui/base/look/measure.h"
#include "ui/parts/widgets/math_text.h"
#include "ui/views/operation/bands.h"

namespace headlight::operation {
namespace {

/// In points.
struct RowSizes {
  static constexpr float whole_from = 1100, widest_whole = 210, beside_whole = 36, above_whole = 40;
  static constexpr RoomShare band_height{1.3f, 120, 190};  ///< by the width of a cell
  static constexpr float most_between_bands = 110;
};

constexpr float step_begins = 0.1f;  ///< share of the stage's time after which the result appears

Rgba mixed(Rgba a, Rgba b, float part) {
  const auto mix = [part](std::uint8_t x, std::uint8_t y) {
    return static_cast<std::uint8_t>(
        std::lround(static_cast<float>(x) + (static_cast<float>(y) - static_cast<float>(x)) * part));
  };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

/// The bands of a step, above the words of the keys.
struct Bands : TaskPart {
  const Rect area = task.area;
  const Index n_k = trace.dims().n_k;
  const OperationKind kind = operation_of(trace, task.stage);
  const Stage source = made_from(trace, task.stage);
  const bool hidden = is_guessed(context);
  /// The whole matrix is drawn at the right.
  const bool beside = !view.presenting && area.width() >= RowSizes::whole_from * u && n_k <= 24;
  const float whole = beside ? std::min(area.width() * 0.16f, u* RowSizes::widest_whole) : 0;
  const float formula = pen.type.formula * 2.5f;
  Table table{};
  float words_height = 0, height = 0;  ///< of the words below the bands, of the bands
  Rect last{};                         ///< the lowest band
  const bool scaled = task.stage == Stage::scaled_scores;
  std::optional<ValueRange> range{};  ///< of the row before and after; scaling changes the unit, so each has its own
  int decimals = 0;                   ///< of the numbers of all bands

  void lay_out() {
    table.names = names_of_rows.of(area.width(), u);
    const float width = area.width() - table.names - (beside ? whole + RowSizes::beside_whole * u : 0);
    const bool is_bars = kind == OperationKind::dropout;
    const float narrowest = pen.digit() * (is_bars ? 4.2f : 5) + Space::gap * u;
    table.keys = range_around(task.focus.key, n_k, width, narrowest, MostCell::number * u);
    const float used = table.keys.extent();
    const float left = area.min.x + table.names + (width - used) * 0.5f;
    table.area = {{left, area.min.y}, {left + used, area.max.y}};
    words_height = key_room(pen, table.keys) + Space::gap * u;
    height = area.height() - words_height - formula;
  }

  Rect slice(float from, float to) const {
    return {{table.area.min.x, area.min.y + height * from}, {table.area.max.x, area.min.y + height * to}};
  }
  void put_name(Rect band, Stage stage, ImU32 colour, std::string_view note) const {
    put_band_name(task, table, band.centre().y, symbol_of(context, stage), colour, std::string(note));
  }

  /// Whether key `k` of a band is shown; the result's keys appear from the left.
  bool is_there(Index k, bool is_result) const {
    if (!task.reveal.share) return task.reveal.shown.has(task.focus.query, k);
    if (!is_result) return true;
    const float done = part_done(*task.reveal.share, step_begins, number_there);
    return static_cast<float>(k - table.keys.first) < done * static_cast<float>(table.keys.count);
  }
  Rect cell_in(Index k, Rect band) const {
    const float gap = std::min(Space::thin * u, table.keys.size * 0.04f);
    const Rect column = table.column(k);
    return {{column.min.x + gap, band.min.y}, {column.max.x - gap, band.max.y}};
  }
  void frame_followed(Index k, Rect cell) const {
    if (k == task.focus.key) pen.box(cell.grown(Space::fine * u), look.ink, Stroke::followed(u), Corner::control * u);
    pen.target(cell, SceneAction::key_word, k);
  }

  void put_value(const Band& band, Index k, Rect cell, float pixels, const MatrixNumbers& figures) const {
    const float value = band.values[static_cast<std::size_t>(k)];
    const Rgba colour = band.colormap->at(normalise(value, band.range));
    const Rgba ground = k == task.focus.key ? colour : mixed(colour, colours(look.theme).card, 0.4f);
    pen.fill(cell, to_imgui(ground), Corner::control * u);
    Cell number = matrix_of(trace, view, band.stage);
    number.row = task.focus.query;
    number.col = k;
    pen.mark(number);
    if (pixels > 0) pen.number(pixels, cell.centre(), Align::middle, to_imgui(ink_on(ground)), figures(value));
  }
  void put_hidden(float value, Rect cell, float pixels) const {
    pen.hatch(cell);
    const MatrixNumbers figures = std::isfinite(value) ? MatrixNumbers(std::span(&value, 1)) : MatrixNumbers(1, false);
    const std::string text = figures(value);
    if (pixels > 0 && pen.measure(Face::mono, pixels, text).x < cell.width())
      pen.number(pixels, cell.centre(), Align::middle, look.muted, text);
  }
  /// The numbers of a row as cells in their colours.
  void put_numbers_of(const Band& band, Rect place, bool is_result) const {
    MatrixNumbers figures = figures_of(band, table.keys);
    figures.take_decimals(decimals);
    const float pixels = size_in(task, table.keys, figures,
                                 std::clamp(place.height() * 0.36f, pen.type.number * 1.7f, pen.type.number * 2.6f));
    for (Index k = table.keys.first; k < table.keys.end(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      const Rect cell = cell_in(k, place);
      if (!is_there(k, is_result)) pen.card(cell, 0, 1, Corner::control);
      else if (band.kinds[i] == CellKind::value) put_value(band, k, cell, pixels, figures);
      else put_hidden(band.values[i], cell, pixels);
      frame_followed(k, cell);
    }
    pen.add_content(place);
  }

  /// Between two bands: an arrow in every column, and the operation at the left.
  void put_arrows(Rect place, const std::string& markup, bool is_result) const {
    const float half = std::min(place.height() * 0.32f, Space::row * u), y = place.centre().y;
    for (Index k = table.keys.first; k < table.keys.end(); ++k) {
      const bool lit = k == task.focus.key;
      const float x = table.column(k).centre().x, opacity = !is_there(k, is_result) ? 0.2f : lit ? 1.0f : 0.6f;
      pen.line({x, y - half}, {x, y + half}, fade(lit ? look.ink : look.muted, opacity), Stroke::arrow(u), true);
    }
    if (!markup.empty()) put_band_name(task, table, y, markup, look.ink, "");
  }

  /// Whether each key may be attended to, or dropout keeps its weight: an open cell, else a hatched one.
  void put_marks(Stage stage, Rect place) const {
    const Cell at = matrix_of(trace, view, stage);
    const bool by_dropout = stage == Stage::dropped_weights;
    const MatrixView allowed = (by_dropout ? trace.dropout_keep : trace[stage]).matrix(at.batch, at.head);
    const std::string yes(say(by_dropout ? "level.stays" : "level.may")),
        no(say(by_dropout ? "level.goes" : "level.may_not"));
    const auto fits = [&](float size) {
      return std::max(pen.measure(Face::ui, size, yes).x, pen.measure(Face::ui, size, no).x) + Space::gap * u <=
             table.keys.size;
    };
    const float pixels = fits(pen.type.word) ? pen.type.word : pen.type.caption;
    const bool in_words = fits(pixels);
    for (Index k = table.keys.first; k < table.keys.end(); ++k) {
      const Rect cell = cell_in(k, place);
      const bool may = allowed(task.focus.query, k) != 0;
      if (may) pen.card(cell, k == task.focus.key ? look.ink : 0, Stroke::hair(u), Corner::control);
      else pen.hatch(cell);
      frame_followed(k, cell);
      pen.text(TextRole::word, in_words ? Face::ui : Face::bold, pixels, cell.centre(), Align::middle,
               may ? look.ink : look.muted, in_words ? (may ? yes : no) : (may ? "✓" : "✕"));
    }
    pen.add_content(place);
  }

  /// What was added to this row's scores, taken from the explanation of each number.
  Band bias_band(const Band& before) const {
    Band band = before;
    for (std::size_t k = 0; k < band.values.size(); ++k) {
      const Cell cell = cell_of(trace, view, Stage::biased_scores, {task.focus.query, static_cast<Index>(k), 0});
      double added = 0;
      for (const Quantity& quantity : explain(trace, cell).quantities) added += quantity.added ? quantity.value : 0;
      band.values[k] = static_cast<float>(added);
      band.kinds[k] = CellKind::value;
    }
    return band;
  }

  /// The weights that dropout keeps grow to their scaled values.
  void put_dropout() {
    const Band weights = band_of(task, source), dropped = band_of(task, task.stage);
    const float grown = part_done(task.reveal.share.value_or(1), 0.4f, number_there);
    std::vector<float> values = dropped.values;
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = weights.values[k] + (dropped.values[k] - weights.values[k]) * grown;
    const Rect upper = slice(0, 0.36f);
    last = slice(0.58f, 1);
    put_shares(task, table, weights, weights.values, 1, upper);
    if (!hidden) put_marks(task.stage, slice(0.41f, 0.53f));
    // While the number is to be guessed, nothing says which weights are dropped.
    put_shares(task, table, hidden ? weights : dropped, values, hidden ? 0.0f : 1.0f, last);
    put_name(upper, source, look.after, say("level.band_share"));
    put_name(last, task.stage, look.after, say("level.band_dropped"));
  }

  /// The operation on each score, in math markup.
  std::string step_markup() const {
    if (task.stage == Stage::capped_scores)
      return formatted("c·tanh(s/c), c = %.3g", static_cast<double>(trace.scenario.softcap.value_or(0)));
    if (task.stage != Stage::scaled_scores) return "=";
    if (trace.scenario.scale) return with_minus(formatted("× %.4g", static_cast<double>(trace.scale)));
    return "× 1/\\sqrt{" + std::to_string(trace.dims().d_head) + "}";
  }

  /// Two or three bands of cells: the row before, the bias or the mask if there is one, the row after.
  void put_cells() {
    const bool bias = task.stage == Stage::biased_scores,
               three = bias || (task.stage == Stage::masked_scores && trace.has(Stage::mask));
    const auto count = three ? 3.0f : 2.0f;
    const float most = RowSizes::band_height.of(table.keys.size, u) / std::max(height, 1.0f);
    const float deep = std::min(three ? 0.25f : 0.36f, most);
    const float gap =
        std::min((1 - count * deep) / (count - 1), RowSizes::most_between_bands * u / std::max(height, 1.0f));
    const float top = std::max(0.0f, (1 - count * deep - (count - 1) * gap) / 2);
    const auto from = [&](int n) { return top + static_cast<float>(n) * (deep + gap); };
    const auto band = [&](int n) { return slice(from(n), from(n) + deep); };
    const auto space = [&](int n) { return slice(from(n) + deep, from(n) + deep + gap); };
    Band before = band_of(task, source), after = band_of(task, task.stage);
    if (!scaled) {
      range = {std::min(before.range.lo, after.range.lo), std::max(before.range.hi, after.range.hi)};
      before.range = after.range = *range;
    }
    const Band added = bias ? bias_band(before) : before;
    for (const Band* each : {&std::as_const(before), &added, &std::as_const(after)})
      decimals = std::max(decimals, figures_of(*each, table.keys).decimals());
    put_numbers_of(before, band(0), false);
    put_name(band(0), source, look.ink, name(source));
    if (bias) {
      put_arrows(space(0), "+", false);
      put_numbers_of(added, band(1), false);
      put_band_name(task, table, band(1).centre().y, "bias", look.ink, "");
      put_arrows(space(1), "=", true);
    } else if (three) {
      put_marks(Stage::mask, band(1));
      put_band_name(task, table, band(1).centre().y, "M", look.ink, say("level.band_mask"));
      put_arrows(space(0), "", false);
      put_arrows(space(1), "", true);
    } else {
      put_arrows(space(0), step_markup(), true);
    }
    last = band(three ? 2 : 1);
    put_numbers_of(after, last, true);
    put_name(last, task.stage, look.ink, name(task.stage));
  }

  /// The words below the last band, and the formula below them.
  void put_words() const {
    name_keys(pen, table.keys, {{table.area.min.x, last.min.y}, {table.area.max.x, last.max.y}}, false, words_height,
              task.focus.key, look.k);
    const float y = std::min(last.max.y + words_height, area.max.y - formula);
    put_formula(task, {{table.area.min.x, y}, {table.area.max.x, y + formula}});
    if (scaled && !beside)  // else below the matrix
      say_scales({area.min.x, y + formula * 0.5f - pen.type.caption},
                 table.area.centre().x - 0.2f * table.area.width() - area.min.x);
  }

  void say_scales(ImVec2 at, float width) const {
    pen.paragraph(Face::ui, pen.type.caption, at, look.muted, say("level.own_colours"), width);
  }

  /// The whole matrix at the right; returns the space above it.
  Rect put_matrix() const {
    if (!beside || hidden) return {};
    const MatrixView numbers = numbers_of(trace, view, task.stage);
    const float x = area.max.x - whole, y = area.min.y + height * 0.42f;
    const float side =
        whole * static_cast<float>(numbers.rows) / static_cast<float>(std::max(numbers.rows, numbers.cols));
    put_whole(pen, task.stage, {{x, y}, {x + whole, y + whole}}, {task.focus.query, 1, 0, true},
              {0, numbers.cols, 0, true}, range);
    pen.caption({x, y + side + pen.type.caption}, Align::left, std::string(name(task.stage)) + " " + sizes_of(numbers));
    if (scaled) say_scales({x, y + side + 2.2f * pen.type.caption}, whole);
    return {{x, area.min.y}, {area.max.x, y - RowSizes::above_whole * u}};
  }
};

}  // namespace

Rect rows(const Task& whole) {
  Task task = whole;
  if (const std::optional<Rect> spread = spread_room(whole)) {
    task.area.max.y = spread->min.y - Space::part * task.u();
    put_spread(whole, *spread);
  }
  Bands bands{task};
  bands.lay_out();
  if (bands.kind == OperationKind::dropout) bands.put_dropout();
  else bands.put_cells();
  bands.put_words();
  return bands.put_matrix();
}

void put_formula(const Task& task, Rect room, const std::optional<std::string>& numbers) {
  if (is_guessed(task.context())) return;  // it would show the number
  Pen& pen = task.pen;
  const Cell cell = cell_of(task.trace(), task.context().view, task.stage, task.focus);
  const Explanation found = explain(task.trace(), cell);
  const float pixels = pen.type.formula;
  const float least = pen.context().view.presenting ? pen.type.least : 0;
  const std::string formula = formula_in_words(pen.context().words, found.formula);
  std::string all = formula;
  const Reveal& reveal = task.reveal;  // the numbers in it appear together with the result
  const bool made =
      reveal.whole() || (reveal.share ? *reveal.share >= number_there : reveal.shown.has(cell.row, cell.col));
  if (const std::string& filled = numbers.value_or(found.numbers); made && !filled.empty() && !found.says_value)
    all += " = " + formula_in_words(pen.context().words, filled);
  const auto put = [&](const std::string& markup, float smallest) {
    return pen.math(pixels, room.centre(), room.width(), pen.look().ink, true, markup, smallest, Align::middle) > 0;
  };
  if (!put(all, std::max(least, pixels * 0.8f))) put(formula, least);
}

}  // namespace headlight::operation
