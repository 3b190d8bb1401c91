// What is done number by number, in one row of scores: bands over one another, under the words of the keys.
//
// Scores become scaled, capped or biased scores as cells; the mask lets through or hatches; dropout puts some out and
// lets the rest grow.
#include <algorithm>
#include <cmath>

#include "core/explain/explain.h"
#include "core/figure/colormap.h"
#include "core/image/theme.h"
#include "core/text/number_text.h"
#include "ui/look/measure.h"
#include "ui/operation/bands.h"
#include "ui/widgets/math_text.h"

namespace headlight::operation {
namespace {

/// How much of the band is there: a share of its columns, from the left.
bool is_there(const Task& task, const Table& table, Index k, float from, float to) {
  if (!task.reveal.share) return task.reveal.shown.has(task.focus.query, k);
  const float done = part_done(*task.reveal.share, from, to);
  return static_cast<float>(k - table.keys.first) < done * static_cast<float>(table.keys.count);
}

Rgba mixed(Rgba a, Rgba b, float part) {
  const auto mix = [part](std::uint8_t x, std::uint8_t y) {
    return static_cast<std::uint8_t>(
        std::lround(static_cast<float>(x) + (static_cast<float>(y) - static_cast<float>(x)) * part));
  };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

void cells(const Task& task, const Table& table, const Band& band, Rect place, float from, float to) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const float u = task.u(), gap = std::min(3 * u, table.keys.size * 0.04f);
  MatrixNumbers figures = figures_of(band, table.keys);
  const float pixels = size_in(task, table.keys, figures,
                               std::clamp(place.height() * 0.36f, pen.type.number * 1.7f, pen.type.number * 2.6f));
  for (Index k = table.keys.first; k < table.keys.end(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const Rect column = table.column(k), cell{{column.min.x + gap, place.min.y}, {column.max.x - gap, place.max.y}};
    const bool there = is_there(task, table, k, from, to), lit = k == task.focus.key;
    if (!there) {
      pen.card(cell, 0, 1, Corner::control);
    } else if (band.kinds[i] == CellKind::value) {
      const Rgba ground = band.colormap->at(normalise(band.values[i], band.range));
      const Rgba seen = lit ? ground : mixed(ground, colours(look.theme).card, 0.4f);
      pen.fill(cell, to_imgui(seen), Corner::control * u);
      Cell number = matrix_of(task.trace(), task.context().view, band.stage);
      number.row = task.focus.query;
      number.col = k;
      pen.mark(number);
      if (pixels > 0) pen.number(pixels, cell.centre(), Align::middle, to_imgui(ink_on(seen)), figures(band.values[i]));
    } else {
      pen.hatch(cell);
      const std::string mark = std::isfinite(band.values[i]) ? MatrixNumbers(row_view({band.values[i]}))(band.values[i])
                                                             : MatrixNumbers(1, false)(band.values[i]);
      if (pixels > 0 && pen.measure(Face::mono, pixels, mark).x < cell.width())
        pen.number(pixels, cell.centre(), Align::middle, look.muted, mark);
    }
    if (lit) pen.box(cell.grown(2 * u), look.ink, Stroke::followed(u), Corner::control * u);
    pen.target(cell, SceneAction::key_word, k);
  }
  pen.add_content(place);
}

/// What stands between two bands: an arrow in every column, and what is done, once.
void between(const Task& task, const Table& table, Rect place, const std::string& markup, float from, float to) {
  Pen& pen = task.pen;
  const float u = task.u();
  const float half = std::min(place.height() * 0.32f, 18 * u);
  for (Index k = table.keys.first; k < table.keys.end(); ++k) {
    const bool lit = k == task.focus.key;
    const float x = table.column(k).centre().x, y = place.centre().y;
    const bool there = is_there(task, table, k, from, to);
    pen.line({x, y - half}, {x, y + half},
             fade(lit ? pen.look().ink : pen.look().muted, there ? (lit ? 1.0f : 0.6f) : 0.2f), Stroke::arrow(u), true);
  }
  if (!markup.empty()) band_name(task, table, place.centre().y, markup, pen.look().ink, "");
}

/// May look, may not: open or hatched.
void marks(const Task& task, const Table& table, Stage stage, Rect place) {
  Pen& pen = task.pen;
  const Words& words = task.context().words;
  const float u = task.u(), gap = std::min(3 * u, table.keys.size * 0.04f);
  const Cell at = matrix_of(task.trace(), task.context().view, stage);
  const bool kept = stage == Stage::dropped_weights;
  const MatrixView allowed =
      kept ? task.trace().dropout_keep.matrix(at.batch, at.head) : task.trace()[stage].matrix(at.batch, at.head);
  const std::string yes = words(kept ? "level.stays" : "level.may"), no = words(kept ? "level.goes" : "level.may_not");
  float pixels = pen.type.word;
  if (std::max(pen.measure(Face::ui, pixels, yes).x, pen.measure(Face::ui, pixels, no).x) + 8 * u > table.keys.size)
    pixels = pen.type.caption;
  const bool fits =
      std::max(pen.measure(Face::ui, pixels, yes).x, pen.measure(Face::ui, pixels, no).x) + 8 * u <= table.keys.size;
  for (Index k = table.keys.first; k < table.keys.end(); ++k) {
    const Rect column = table.column(k), cell{{column.min.x + gap, place.min.y}, {column.max.x - gap, place.max.y}};
    const bool may = allowed(task.focus.query, k) != 0, lit = k == task.focus.key;
    if (may) {
      pen.card(cell, lit ? pen.look().ink : 0, Stroke::hair(u), Corner::control);
    } else {
      pen.hatch(cell);
    }
    if (lit) pen.box(cell.grown(2 * u), pen.look().ink, Stroke::followed(u), Corner::control * u);
    pen.text(TextRole::word, fits ? Face::ui : Face::bold, pixels, cell.centre(), Align::middle,
             may ? pen.look().ink : pen.look().muted, fits ? (may ? yes : no) : (may ? "✓" : "✕"));
    pen.target(cell, SceneAction::key_word, k);
  }
  pen.add_content(place);
}

/// What scores are multiplied by, in math markup.
std::string scale_words(const Task& task) {
  if (task.trace().scenario.scale) return formatted("× %.4g", static_cast<double>(task.trace().scale));
  return "× 1/\\sqrt{" + std::to_string(task.trace().dims().d_head) + "}";
}

/// What was added to this row's scores: as the numbers themselves say.
Band bias_band(const Task& task, const Band& before) {
  Band band = before;
  for (std::size_t k = 0; k < band.values.size(); ++k) {
    Cell cell =
        cell_of(task.trace(), task.context().view, Stage::biased_scores, {task.focus.query, static_cast<Index>(k), 0});
    double added = 0;
    for (const Quantity& quantity : explain(task.trace(), cell).quantities)
      added += quantity.added ? quantity.value : 0;
    band.values[k] = static_cast<float>(added);
    band.kinds[k] = CellKind::value;
  }
  return band;
}

/// The bands of a step, over the words of the keys.
struct Bands : TaskPart {
  const Rect area = task.area;
  const Index n_k = trace.dims().n_k;
  const OperationKind kind = operation_of(trace, task.stage);
  const Stage source = made_from(trace, task.stage);
  const bool hidden = is_guessed(context);
  /// A quarter of the width is for the whole matrix where there is no wall to fill.
  const bool beside = !view.presenting && area.width() >= 1100 * u && n_k <= 24;
  const float whole = beside ? std::min(area.width() * 0.16f, 210 * u) : 0;
  const float formula = pen.type.formula * 2.5f;
  Table table{};
  float words = 0, height = 0;  ///< of the words under the bands, of the bands
  Rect last{};                  ///< the lowest band

  void lay_out() {
    table.names = std::clamp(area.width() * 0.13f, 96 * u, 190 * u);
    const float width = area.width() - table.names - (beside ? whole + 36 * u : 0);
    const bool is_bars = kind == OperationKind::dropout;
    const float narrowest = pen.measure(Face::mono, pen.type.number, "0").x * (is_bars ? 4.2f : 5) + 8 * u;
    table.keys = window_around(task.focus.key, n_k, width, narrowest, 200 * u);
    const float used = table.keys.extent();
    const float left = area.min.x + table.names + (width - used) * 0.5f;
    table.area = {{left, area.min.y}, {left + used, area.max.y}};
    words = key_room(pen, table.keys) + 8 * u;
    height = area.height() - words - formula;
  }

  Rect slice(float from, float to) const {
    return {{table.area.min.x, area.min.y + height * from}, {table.area.max.x, area.min.y + height * to}};
  }
  void name_band(Rect band, Stage stage, ImU32 colour, std::string_view note) const {
    band_name(task, table, band.centre().y, symbol_of(context, stage), colour, std::string(note));
  }

  /// Those that stay grow from what they were to what they become.
  void put_dropout() {
    const Band weights = band_of(task, source), dropped = band_of(task, task.stage);
    const float grown = part_done(task.reveal.share.value_or(1), 0.4f, 0.8f);
    std::vector<float> values = dropped.values;
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = weights.values[k] + (dropped.values[k] - weights.values[k]) * grown;
    const Rect upper = slice(0, 0.36f);
    last = slice(0.58f, 1);
    shares(task, table, weights, weights.values, 1, upper);
    if (!hidden) marks(task, table, task.stage, slice(0.41f, 0.53f));
    shares(task, table, hidden ? weights : dropped, values, hidden ? 0.0f : 1.0f,
           last);  // by chance: nothing tells yet who goes
    name_band(upper, source, look.after, say("level.band_share"));
    name_band(last, task.stage, look.after, say("level.band_dropped"));
  }

  /// What is done to each score, where that is one thing for all.
  std::string step_between() const {
    if (task.stage == Stage::scaled_scores) return scale_words(task);
    if (task.stage != Stage::capped_scores) return "=";
    return formatted("c·tanh(s/c), c = %.3g", static_cast<double>(trace.scenario.softcap.value_or(0)));
  }

  /// Two or three bands of cells, not so high that they leave the numbers alone.
  void put_cells() {
    const bool bias = task.stage == Stage::biased_scores,
               three = bias || (task.stage == Stage::masked_scores && trace.has(Stage::mask));
    const float most = std::clamp(table.keys.size * 1.3f, 120 * u, 190 * u) / std::max(height, 1.0f);
    const float deep = std::min(three ? 0.25f : 0.36f, most);
    const float gap = std::min((1 - (three ? 3 : 2) * deep) / (three ? 2.0f : 1.0f), 110 * u / std::max(height, 1.0f));
    const float top = std::max(0.0f, (1 - (three ? 3 : 2) * deep - (three ? 2 : 1) * gap) / 2);
    const auto band = [&](int n) {
      const float from = top + static_cast<float>(n) * (deep + gap);
      return slice(from, from + deep);
    };
    const auto space = [&](int n) {
      const float from = top + static_cast<float>(n) * (deep + gap);
      return slice(from + deep, from + deep + gap);
    };
    const Band before = band_of(task, source);
    cells(task, table, before, band(0), -1, 0);
    name_band(band(0), source, look.ink, name(source));
    if (bias) {
      between(task, table, space(0), "+", -1, 0);
      cells(task, table, bias_band(task, before), band(1), -1, 0);
      band_name(task, table, band(1).centre().y, "bias", look.ink, "");
      between(task, table, space(1), "=", 0.1f, 0.8f);
    } else if (three) {
      marks(task, table, Stage::mask, band(1));
      band_name(task, table, band(1).centre().y, "M", look.ink, say("level.band_mask"));
      between(task, table, space(0), "", -1, 0);
      between(task, table, space(1), "", 0.1f, 0.8f);
    } else {
      between(task, table, space(0), step_between(), 0.1f, 0.8f);
    }
    last = band(three ? 2 : 1);
    cells(task, table, band_of(task, task.stage), last, 0.1f, 0.8f);
    name_band(last, task.stage, look.ink, name(task.stage));
  }

  /// Words under the last band, formula under the words.
  void put_words() const {
    name_keys(pen, table.keys, {{table.area.min.x, last.min.y}, {table.area.max.x, last.max.y}}, false, words,
              task.focus.key, look.k);
    const float y = std::min(last.max.y + words, area.max.y - formula);
    put_formula(task, {{table.area.min.x, y}, {table.area.max.x, y + formula}});
  }

  /// The whole matrix at the right; gives the place over it.
  Rect put_matrix() const {
    if (!beside || hidden) return {};
    const MatrixView numbers = numbers_of(trace, view, task.stage);
    const float x = area.max.x - whole, y = area.min.y + height * 0.42f;
    const float side =
        whole * static_cast<float>(numbers.rows) / static_cast<float>(std::max(numbers.rows, numbers.cols));
    put_whole(pen, task.stage, {{x, y}, {x + whole, y + whole}}, {task.focus.query, 1, 0, true},
              {0, numbers.cols, 0, true});
    pen.caption({x, y + side + pen.type.caption}, Align::left, std::string(name(task.stage)) + " " + sizes_of(numbers));
    return {{x, area.min.y}, {area.max.x, y - 40 * u}};
  }
};

}  // namespace

Rect rows(const Task& task) {
  Bands bands{task};
  bands.lay_out();
  switch (bands.kind) {
    case OperationKind::dropout: bands.put_dropout(); break;
    default: bands.put_cells(); break;
  }
  bands.put_words();
  return bands.put_matrix();
}

void put_formula(const Task& task, Rect room, const std::optional<std::string>& numbers) {
  if (is_guessed(task.context())) return;  // it says what it comes to
  Pen& pen = task.pen;
  const Cell cell = cell_of(task.trace(), task.context().view, task.stage, task.focus);
  const Explanation found = explain(task.trace(), cell);
  const float pixels = pen.type.formula;
  const float least = pen.context().view.presenting ? pen.type.least : 0;
  const std::string formula = formula_in_words(pen.context().words, found.formula);
  std::string all = formula;
  const Reveal& reveal = task.reveal;  // its numbers come with the number itself
  const bool made = reveal.whole() || (reveal.share ? *reveal.share >= 0.8f : reveal.shown.has(cell.row, cell.col));
  if (const std::string& filled = numbers.value_or(found.numbers); made && !filled.empty())
    all += " = " + formula_in_words(pen.context().words, filled);
  if (pen.math(pixels, room.centre(), room.width(), pen.look().ink, true, all, std::max(least, pixels * 0.8f),
               Align::middle) > 0)
    return;
  if (pen.math(pixels, room.centre(), room.width(), pen.look().ink, true, formula, least, Align::middle) > 0) return;
}

}  // namespace headlight::operation
