#include "ui/map/map_camera.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

double width(const Rect& view) { return std::max(1.0, static_cast<double>(view.width())); }
double height(const Rect& view) { return std::max(1.0, static_cast<double>(view.height())); }

/// The first cell in sight of `count`, where `seen` of them have room: no ground beside a matrix that is larger.
double within(double first, double count, double seen) {
  return seen >= count ? (count - seen) / 2 : std::clamp(first, 0.0, count - seen);
}

MapCamera settled(MapCamera camera) {
  camera.left = within(camera.left, static_cast<double>(camera.cols), width(camera.view) / camera.scale);
  camera.top = within(camera.top, static_cast<double>(camera.rows), height(camera.view) / camera.scale);
  return camera;
}

std::pair<Index, Index> seen(double first, double count, Index all) {
  // A hair less than a cell that only touches the edge.
  const auto from = static_cast<Index>(std::floor(first + 1e-6)),
             to = static_cast<Index>(std::ceil(first + count - 1e-6));
  return {std::clamp<Index>(from, 0, all), std::clamp<Index>(to, 0, all)};
}

}  // namespace

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
  if (!region) return settled(camera);
  const double wide = std::max(region->k1 - region->k0, 1e-3), high = std::max(region->q1 - region->q0, 1e-3);
  const double scale = std::min(width(view) / wide, height(view) / high);
  return centred(camera, (region->q0 + region->q1) / 2, (region->k0 + region->k1) / 2, scale);
}

MapCamera zoomed(MapCamera camera, double factor, ImVec2 about) {
  const double key = camera.key(about.x), query = camera.query(about.y);
  camera.scale = std::clamp(camera.scale * factor, camera.whole_scale(), camera.nearest);
  camera.left = key - static_cast<double>(about.x - camera.view.min.x) / camera.scale;
  camera.top = query - static_cast<double>(about.y - camera.view.min.y) / camera.scale;
  return settled(camera);
}

MapCamera moved(MapCamera camera, ImVec2 pixels) {
  camera.left -= static_cast<double>(pixels.x) / camera.scale;
  camera.top -= static_cast<double>(pixels.y) / camera.scale;
  return settled(camera);
}

MapCamera centred(MapCamera camera, double query, double key, double scale) {
  if (scale > 0) camera.scale = std::clamp(scale, camera.whole_scale(), camera.nearest);
  camera.left = key - width(camera.view) / camera.scale / 2;
  camera.top = query - height(camera.view) / camera.scale / 2;
  return settled(camera);
}

}  // namespace headlight
