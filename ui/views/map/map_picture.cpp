#include "ui/views/map/map_picture.h"

#include <algorithm>
#include <cmath>

#include "core/figures/figure/ticks.h"
#include "ui/base/look/measure.h"

namespace headlight {
namespace {

constexpr float label_points = TypeSize::note;

/// The reference value of pooling: the middle of a diverging colour range, the low end of any other.
float centre_of(const HeatPicture& heat) {
  const ValueRange& range = heat.quad.range;
  return heat.colormap->kind() == ColormapKind::diverging ? (range.lo + range.hi) / 2 : range.lo;
}

double width(const Rect& view) { return std::max(1.0, static_cast<double>(view.width())); }
double height(const Rect& view) { return std::max(1.0, static_cast<double>(view.height())); }

/// The first visible cell of `count`, if `seen` fit: a matrix that is larger than the view fills it.
double within(double first, double count, double seen) {
  return seen >= count ? (count - seen) / 2 : std::clamp(first, 0.0, count - seen);
}

MapCamera held_inside(MapCamera camera) {
  camera.left = within(camera.left, static_cast<double>(camera.cols), width(camera.view) / camera.scale);
  camera.top = within(camera.top, static_cast<double>(camera.rows), height(camera.view) / camera.scale);
  return camera;
}

std::pair<Index, Index> seen(double first, double count, Index all) {
  // slightly less, to exclude a cell that only touches the edge
  const auto from = static_cast<Index>(std::floor(first + 1e-6)),
             to = static_cast<Index>(std::ceil(first + count - 1e-6));
  return {std::clamp<Index>(from, 0, all), std::clamp<Index>(to, 0, all)};
}

}  // namespace

bool is_mapped(Stage stage) { return info(stage).rows == Axis::query && info(stage).cols == Axis::key; }

std::optional<Stage> stage_on_map(const Frame& frame) {
  const Trace& trace = *frame.trace();
  const Stage chosen = frame.view().map.stage;
  if (is_mapped(chosen) && trace.has(chosen)) return chosen;
  std::optional<Stage> last;
  for (const Stage stage : all_stages()) {
    if (is_mapped(stage) && trace.has(stage)) last = stage;
  }
  return last;
}

const MapPicture& map_picture(const Frame& frame, Stage stage) {
  const auto make = [&] {
    MapPicture picture;
    HeatPicture& heat = picture.heat = make_heat(frame, stage, frame.view().head, {{0, 0}, {1, 1}}, RowRanges::never);
    const MatrixQuad& quad = heat.quad;
    picture.matrix = {quad.values, quad.mask, quad.kept, heat.batch, heat.head, quad.show_leaks, centre_of(heat)};
    for (const Stage each : all_stages()) {
      if (is_mapped(each) && frame.trace()->has(each))
        picture.chips.push_back({each, frame.width(Face::bold, TypeSize::note, name(each)) + Space::row * frame.u});
    }
    if (stage != Stage::mask) {
      const BarEnds ends = bar_ends(heat);
      const bool sampled = ends.sampled && frame.view().range.mode != RangeMode::fixed;
      picture.lo = (sampled ? "<" : "") + map_number(ends.lo);
      picture.hi = (sampled ? ">" : "") + map_number(ends.hi);
      if (ends.norm) picture.spread = frame.words(ends.norm);
    }
    picture.label_width = widest_label(frame, Axis::query, heat.rows, label_points * frame.u);
    return picture;
  };
  return frame.picture<MapPicture>(make, stage);
}

/// The parts beside the map, in points.
struct MapParts {
  static constexpr RoomShare field{0.24f, 120, 200}, side{0.22f, 120, 220}, profile{0.09f, 30, 64};
  static constexpr float bar_and_ends = 50, beside_profile = 26, least_map = 40, least_small = 4;
};

MapLayout map_layout(const Frame& frame, Rect place, const MapPicture& picture) {
  const float u = frame.u;
  const Rect inner = place.grown(-Space::card * u);
  MapLayout layout;
  const float line = ControlPitch::chips * u, chip = ControlHeight::bar * u, gap = Space::near * u;
  const float field = MapParts::field.of(inner.width(), u),
              fit = frame.width(Face::ui, TypeSize::body, frame.words("pipeline.fit")) + ControlPad::button * u;
  layout.stages = inner;
  const ImVec2 end_of_stages = place_chips(picture, inner, u, [](const StageChip&, ImVec2) {});
  const float y = end_of_stages.y + (end_of_stages.x + field + fit + 2 * gap <= inner.max.x ? 0 : line);
  layout.whole = {{inner.max.x - fit, y}, {inner.max.x, y + chip}};
  layout.go_to = {{layout.whole.min.x - gap - field, layout.whole.min.y},
                  {layout.whole.min.x - gap, layout.whole.max.y}};
  const float side = MapParts::side.of(inner.width(), u);
  layout.profile = MapParts::profile.of(inner.height(), u);
  const float left = inner.min.x + std::min(picture.label_width, NameRoom::row * u) + Space::near * u,
              top = layout.whole.max.y + Space::wide * u;
  const ImVec2 end{inner.max.x - side - layout.profile - MapParts::beside_profile * u,
                   inner.max.y - layout.profile - Space::section * u};
  layout.map = {{left, top},
                {std::max(end.x, left + MapParts::least_map * u), std::max(end.y, top + MapParts::least_map * u)}};
  const float x = inner.max.x - side;
  const double rows = static_cast<double>(picture.heat.rows), cols = static_cast<double>(picture.heat.cols);
  const double most = static_cast<double>(side) / std::max(rows, cols);
  const auto width = std::max(MapParts::least_small * u, static_cast<float>(cols * most)),
             height = std::max(MapParts::least_small * u, static_cast<float>(rows * most));
  layout.small = {{x, top}, {x + width, top + height}};
  const bool coloured = !picture.hi.empty();
  if (coloured) layout.bar = {{x, top + height + Space::apart * u}, {inner.max.x, top + height + Space::wide * u}};
  layout.notes = {{x, top + height + (coloured ? MapParts::bar_and_ends : Space::apart) * u}, inner.max};
  return layout;
}

MapCell MapCells::at(Index row, Index col) {
  const TileAt tile{level_, row / tile_side, col / tile_side};
  if (held_ != tile) {
    held_ = tile;
    tile_ = tiles_.find(tile);
  }
  if (!tile_) return {};
  const auto in = [&](const Tensor& tensor) { return tensor.matrix()(row % tile_side, col % tile_side); };
  const float value = in(tile_->values);
  return {
      true, value,
      classify(value, !tile_->mask.defined() || in(tile_->mask) != 0, !tile_->kept.defined() || in(tile_->kept) != 0)};
}

std::string map_number(float value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : value > 0 ? "+∞" : "−∞";
  NumberSpan span;
  span.add(value);
  char buffer[48];
  const std::optional<NumberFormat> format = number_format(span, 10);
  return format ? std::string(format->write(value, buffer)) : format_scientific(value);
}

double MapCamera::whole_scale() const {
  return std::min({nearest, width(view) / static_cast<double>(cols), height(view) / static_cast<double>(rows)});
}

std::pair<Index, Index> MapCamera::rows_seen() const { return seen(top, height(view) / scale, rows); }
std::pair<Index, Index> MapCamera::cols_seen() const { return seen(left, width(view) / scale, cols); }

Rect MapCamera::area() const {
  return {{std::max(view.min.x, x(0)), std::max(view.min.y, y(0))},
          {std::min(view.max.x, x(static_cast<double>(cols))), std::min(view.max.y, y(static_cast<double>(rows)))}};
}

std::optional<std::pair<Index, Index>> MapCamera::at(ImVec2 point) const {
  if (!view.contains(point)) return std::nullopt;
  const auto row = static_cast<Index>(std::floor(query(point.y))), col = static_cast<Index>(std::floor(key(point.x)));
  if (row < 0 || row >= rows || col < 0 || col >= cols) return std::nullopt;
  return std::pair(row, col);
}

std::optional<MapRegion> MapCamera::region() const {
  if (shows_all()) return std::nullopt;
  return MapRegion{top, top + height(view) / scale, left, left + width(view) / scale};
}

int MapCamera::level() const {
  const int wanted = scale >= 1 ? 0 : static_cast<int>(std::floor(std::log2(1 / scale) + 1e-9));
  return std::min(wanted, coarsest_level(rows, cols));
}

TileRange MapCamera::tiles() const {
  const int n = level();
  const Index side = tile_side << n;
  const auto [row0, row1] = rows_seen();
  const auto [col0, col1] = cols_seen();
  return {n, row0 / side, (row1 + side - 1) / side, col0 / side, (col1 + side - 1) / side};
}

MapCamera map_camera(const std::optional<MapRegion>& region, const Rect& view, Index rows, Index cols, double nearest) {
  MapCamera camera{view, rows, cols, 1, 0, 0, nearest};
  camera.scale = camera.whole_scale();
  if (!region) return held_inside(camera);
  const double wide = std::max(region->k1 - region->k0, 1e-3), high = std::max(region->q1 - region->q0, 1e-3);
  const double scale = std::min(width(view) / wide, height(view) / high);
  return centred(camera, (region->q0 + region->q1) / 2, (region->k0 + region->k1) / 2, scale);
}

MapCamera zoomed(MapCamera camera, double factor, ImVec2 about) {
  const double key = camera.key(about.x), query = camera.query(about.y);
  camera.scale = std::clamp(camera.scale * factor, camera.whole_scale(), camera.nearest);
  camera.left = key - static_cast<double>(about.x - camera.view.min.x) / camera.scale;
  camera.top = query - static_cast<double>(about.y - camera.view.min.y) / camera.scale;
  return held_inside(camera);
}

MapCamera moved(MapCamera camera, ImVec2 pixels) {
  camera.left -= static_cast<double>(pixels.x) / camera.scale;
  camera.top -= static_cast<double>(pixels.y) / camera.scale;
  return held_inside(camera);
}

MapCamera centred(MapCamera camera, double query, double key, double scale) {
  if (scale > 0) camera.scale = std::clamp(scale, camera.whole_scale(), camera.nearest);
  camera.left = key - width(camera.view) / camera.scale / 2;
  camera.top = query - height(camera.view) / camera.scale / 2;
  return held_inside(camera);
}

}  // namespace headlight
