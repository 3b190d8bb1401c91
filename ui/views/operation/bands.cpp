#include "ui/views/operation/bands.h"

#include <algorithm>
#include <cmath>

#include "core/base/image/theme.h"
#include "core/compute/run/trace.h"
#include "core/figures/figure/colormap.h"
#include "ui/base/look/measure.h"

namespace headlight::operation {

/// In points.
struct BandSizes {
  static constexpr float half_bar = 44;  ///< the most
  static constexpr float widest_strip = 110, thinnest_strip = 1.5f;
};

Band band_of(const Task& task, Stage stage) {
  const Trace& trace = task.trace();
  const Cell at = matrix_of(trace, task.context().view, stage);
  const MatrixView numbers = trace[stage].matrix(at.batch, at.head);
  const CellMasks masks = masks_over(trace, stage, at.batch, at.head);
  Band band;
  band.stage = stage;
  for (Index k = 0; k < numbers.cols; ++k) {
    band.values.push_back(numbers(task.focus.query, k));
    band.kinds.push_back(classify(numbers, masks, task.focus.query, k));
  }
  const MatrixCut block =
      make_block(task.context(), stage, {task.focus.query, 1, 1, true}, {0, numbers.cols, 1, false}, {});
  band.colormap = block.quad.colormap;
  band.range = block.quad.range;
  return band;
}

MatrixNumbers figures_of(const Band& band, const IndexRange& keys) {
  std::vector<float> values;
  for (Index k = keys.first; k < keys.end(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (band.kinds[i] == CellKind::value) values.push_back(band.values[i]);
  }
  return MatrixNumbers(values);
}

float size_in(const Task& task, const IndexRange& keys, MatrixNumbers& figures, float wanted) {
  const Fonts& fonts = task.context().fonts;
  const float least = size_not_below(fonts, Face::mono, task.pen.type.least);
  do {
    for (const float size : {wanted, wanted * 0.8f, wanted * 0.65f, task.pen.type.number, least}) {
      if (size < least - 0.1f) continue;
      if (task.pen.digit(size) * static_cast<float>(figures.longest()) + Space::near * task.u() <= keys.size)
        return size;
    }
  } while (figures.shorten());
  return 0;
}

void put_band_name(const Task& task, const Table& table, float y, const std::string& markup, ImU32 colour,
                   const std::string& note) {
  Pen& pen = task.pen;
  const float x = table.area.min.x - Space::row * task.u(), room = table.names - Space::section * task.u();
  const bool two = !note.empty();
  pen.math(pen.type.formula, {x, y - (two ? pen.type.caption * 0.5f : 0)}, room, colour, false, markup, 0,
           Align::right);
  if (two && pen.measure(Face::ui, pen.type.caption, note).x <= room)
    pen.caption({x, y + pen.type.formula * 0.62f}, Align::right, note);
}

void put_bars(const Task& task, const Table& table, const Band& band, Rect place) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const float u = task.u();
  MatrixNumbers figures = figures_of(band, table.keys);
  const float pixels = size_in(task, table.keys, figures, pen.type.number * 1.5f);
  float lo = 0, hi = 0;
  for (Index k = table.keys.first; k < table.keys.end(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (band.kinds[i] != CellKind::value) continue;
    lo = std::min(lo, band.values[i]);
    hi = std::max(hi, band.values[i]);
  }
  const float top = place.min.y + pixels * 1.5f;
  const float span = std::max(hi - lo, 1e-20f);
  const float zero = top + (place.max.y - top) * hi / span;
  for (Index k = table.keys.first; k < table.keys.end(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const bool lit = k == task.focus.key;
    const Rect column = table.column(k);
    const float inset = std::max(column.width() * 0.22f, column.width() / 2 - BandSizes::half_bar * u);
    if (band.kinds[i] == CellKind::value) {
      const float end = top + (place.max.y - top) * (hi - band.values[i]) / span;
      const Rgba ground = band.colormap->at(normalise(band.values[i], band.range));
      const float longer =
          band.values[i] < 0 ? std::max(end, zero + Space::fine * u) : std::min(end, zero - Space::fine * u);
      pen.bar({column.centre().x, zero}, {column.centre().x, band.values[i] == 0 ? zero : longer},
              column.width() - 2 * inset, fade(to_imgui(ground), lit ? 1.0f : 0.85f), band.values[i]);
      if (pixels > 0)
        pen.number(pixels, {column.centre().x, place.min.y + pixels * 0.6f}, Align::middle, lit ? look.ink : look.muted,
                   figures(band.values[i]));
    } else {
      pen.hatch({{column.min.x + inset, top}, {column.max.x - inset, place.max.y}});
      if (pixels > 0)
        pen.number(pixels, {column.centre().x, place.min.y + pixels * 0.6f}, Align::middle, look.muted,
                   MatrixNumbers(1, false)(band.values[i]));
    }
    pen.target({{column.min.x, place.min.y}, {column.max.x, place.max.y}}, SceneAction::key_word, k);
  }
  pen.fill({{table.area.min.x, zero - u * 0.5f}, {table.area.max.x, zero + u * 0.5f}}, look.line);
  pen.add_content(place);
}

void put_shares(const Task& task, const Table& table, const Band& band, const std::vector<float>& values, float grown,
                Rect place) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const float u = task.u();
  MatrixNumbers figures = figures_of(band, table.keys);
  const float pixels = size_in(task, table.keys, figures, pen.type.number * 1.5f);
  const float bottom = place.max.y - pixels * 1.5f;
  float most = 1;
  for (const float value : values) most = std::isfinite(value) ? std::max(most, value) : most;
  for (Index k = table.keys.first; k < table.keys.end(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const bool lit = k == task.focus.key;
    const Rect column = table.column(k);
    const float inset = std::max(column.width() * 0.22f, column.width() / 2 - BandSizes::half_bar * u);
    const Rect track{{column.min.x + inset, place.min.y}, {column.max.x - inset, bottom}};
    const CellKind kind = band.kinds[i];
    if (kind == CellKind::masked || kind == CellKind::neg_inf || kind == CellKind::nan) {
      pen.hatch(track);
    } else {
      pen.fill(track, look.field, Corner::control * u);
    }
    if (kind == CellKind::dropped) {
      pen.line(track.min, track.max, look.muted, Stroke::frame(u));
      pen.line({track.min.x, track.max.y}, {track.max.x, track.min.y}, look.muted, Stroke::frame(u));
    }
    const float value = std::isfinite(values[i]) ? values[i] * grown : 0;
    if (value > 0) {
      const float height = std::max(track.height() * value / most, u);
      pen.fill({{track.min.x, bottom - height}, track.max},
               fade(look.head(task.context().view.head), lit ? 1.0f : 0.75f), std::min(Space::close * u, height / 2));
    }
    if (pixels > 0 && grown > 0.98f) {
      std::string text = kind == CellKind::value ? figures(values[i]) : kind == CellKind::nan ? "NaN" : "0";
      pen.number(pixels, {column.centre().x, place.max.y - pixels * 0.6f}, Align::middle, lit ? look.ink : look.muted,
                 std::move(text));
    }
    if (lit) pen.box(track.grown(Outset::bar * u), look.ink, Stroke::chosen(u), Corner::control * u);
    pen.target({{column.min.x, place.min.y}, {column.max.x, place.max.y}}, SceneAction::key_word, k);
  }
  pen.add_content(place);
}

void put_strip(const Task& task, Stage stage, Index row, Rect rect, ImU32 colour) {
  const MatrixView numbers = numbers_of(task.trace(), task.context().view, stage);
  const MatrixCut block =
      make_block(task.context(), stage, {0, numbers.cols, 0, false}, {row, 1, 0, numbers.rows > 1}, rect, true);
  put(task.pen, block);
  task.pen.frame(block.rect.grown(Outset::cell * task.u()), colour, 1.5f);
}

float strip_width(const Pen& pen, float column) { return std::min(column * 0.8f, BandSizes::widest_strip * pen.u()); }

void put_key_strips(const Task& task, const Table& table, Stage stage, const Band& weights, float by_share,
                    Rect place) {
  Pen& pen = task.pen;
  const float u = task.u();
  const MatrixView numbers = numbers_of(task.trace(), task.context().view, stage);
  const MatrixCut block = make_block(task.context(), stage, {0, numbers.cols, 0, false},
                                     {table.keys.first, table.keys.count, 0, table.keys.part}, place, true);
  for (Index k = table.keys.first; k < table.keys.end(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const Rect column = table.column(k);
    const bool followed = k == task.focus.key;
    // A strip covers whole pixels: a thin strip between two pixels would not be visible.
    const auto strip = [&](float wide) {
      const float pixels = std::max(std::round(wide), 1.0f), left = std::round(column.centre().x - pixels / 2);
      return Rect{{left, place.min.y}, {left + pixels, place.max.y}};
    };
    const float share = std::isfinite(weights.values[i]) ? std::clamp(weights.values[i], 0.0f, 1.0f) : 0;
    const float full = strip_width(pen, column.width()),
                wide = std::max(full * (1 - by_share * (1 - share)), share > 0 ? BandSizes::thinnest_strip * u : 0);
    if (weights.kinds[i] == CellKind::masked) {
      pen.hatch(strip(full));
    } else if (wide > 0) {
      put(pen, block, by_share > 0 || followed ? 1.0f : 0.6f, strip(wide));
    }
    if (by_share > 0)
      pen.box(strip(full), followed ? pen.look().ink : pen.look().line, Stroke::hair(u), Corner::cell * u);
    else if (followed) pen.frame(strip(wide).grown(Space::fine * u), pen.look().k);
    pen.target({{column.min.x, place.min.y}, {column.max.x, place.max.y}}, SceneAction::key_word, k);
  }
  pen.add_content(place);
}

}  // namespace headlight::operation
