// The parts of a pixel canvas that do not depend on how lines and letters are drawn.

#include <algorithm>
#include <cmath>

#include "core/figure/canvas.h"
#include "core/figure/figure_canvas.h"

namespace headlight {
namespace {

int nearest(float units, float scale) { return static_cast<int>(std::lround(units * scale)); }

}  // namespace

int PixelCanvas::to_pixels(float units) const { return std::max(1, nearest(units, scale_)); }

PixelCanvas::Pixels PixelCanvas::snap(const Box& rect) const {
  const int x = nearest(rect.x, scale_), y = nearest(rect.y, scale_);
  return {x, y, std::max(1, nearest(rect.right(), scale_) - x), std::max(1, nearest(rect.bottom(), scale_) - y)};
}

void PixelCanvas::heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
                          bool gaps) {
  const Pixels p = snap(rect);
  HeatmapStyle own = style;
  own.scale = scale_;
  own.gap = gaps ? heatmap_gap(static_cast<double>(p.w) / static_cast<double>(matrix.cols),
                               static_cast<double>(p.h) / static_cast<double>(matrix.rows), scale_)
                 : 0;
  paste(heatmap_raster(matrix, masks, own, p.w, p.h), p.x, p.y);
}

void PixelCanvas::swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) {
  const Pixels p = snap(rect);
  HeatmapStyle own = style;
  own.scale = scale_;
  paste(cell_swatch(kind, own, p.w, p.h), p.x, p.y);
}

void PixelCanvas::colour_bar(const Box& rect, const Colormap& map, bool upright) {
  const Pixels p = snap(rect);
  Image bar(p.w, p.h);
  const int length = upright ? p.h : p.w;
  for (int i = 0; i < length; ++i) {
    const float t = (static_cast<float>(i) + 0.5f) / static_cast<float>(length);
    const Rgba colour = map.at(upright ? 1 - t : t);
    for (int across = 0; across < (upright ? p.w : p.h); ++across)
      upright ? bar.set(across, i, colour) : bar.set(i, across, colour);
  }
  paste(bar, p.x, p.y);
}

std::vector<PathStep> through(std::initializer_list<Point> points) {
  std::vector<PathStep> steps;
  for (const Point& point : points) steps.push_back(PathStep{point});
  return steps;
}

std::vector<PathStep> around(const Box& box) {
  return through(
      {{box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}, {box.x, box.y}});
}

std::vector<Point> turned_alike(const std::vector<Point>& polygon) {
  float twice = 0;  // twice the signed area
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  if (twice < 0) return {polygon.rbegin(), polygon.rend()};
  return polygon;
}

}  // namespace headlight
