#include "core/figure/raster_canvas.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

int to_pixels(float units, float scale) {
  return static_cast<int>(std::lround(units * scale));
}

}  // namespace

RasterCanvas::RasterCanvas(float width, float height, float scale, Rgba background, Typesetter& typesetter)
    : scale_(scale),
      image_(std::max(1, to_pixels(width, scale)), std::max(1, to_pixels(height, scale)), background),
      typesetter_(typesetter) {}

RasterCanvas::Pixels RasterCanvas::snap(const Box& rect) const {
  const int x = to_pixels(rect.x, scale_), y = to_pixels(rect.y, scale_);
  return {x, y, std::max(1, to_pixels(rect.right(), scale_) - x), std::max(1, to_pixels(rect.bottom(), scale_) - y)};
}

void RasterCanvas::paste(const Image& image, int x, int y) {
  const int first = std::max(0, -x), last = std::min(image.width, image_.width - x);
  if (first >= last) return;
  for (int row = std::max(0, -y); row < image.height && y + row < image_.height; ++row) {
    const auto from =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(first);
    const auto to = static_cast<std::size_t>(y + row) * static_cast<std::size_t>(image_.width) +
                    static_cast<std::size_t>(x + first);
    std::copy_n(image.rgba.data() + from * 4, static_cast<std::size_t>(last - first) * 4, image_.rgba.data() + to * 4);
  }
}

void RasterCanvas::fill(const Box& rect, Rgba colour) {
  const Pixels p = snap(rect);
  paste(Image(p.w, p.h, colour), p.x, p.y);
}

void RasterCanvas::text(const Label& label) {
  typesetter_.draw(image_, label, scale_);
}

void RasterCanvas::heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks,
                           const HeatmapStyle& style, bool gaps) {
  const Pixels p = snap(rect);
  HeatmapStyle own = style;
  own.scale = scale_;
  own.gap = gaps ? heatmap_gap(static_cast<double>(p.w) / static_cast<double>(matrix.cols),
                               static_cast<double>(p.h) / static_cast<double>(matrix.rows), scale_)
                 : 0;
  paste(heatmap_raster(matrix, masks, own, p.w, p.h), p.x, p.y);
}

void RasterCanvas::swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) {
  const Pixels p = snap(rect);
  HeatmapStyle own = style;
  own.scale = scale_;
  paste(cell_swatch(kind, own, p.w, p.h), p.x, p.y);
}

void RasterCanvas::colour_bar(const Box& rect, const Colormap& map) {
  const Pixels p = snap(rect);
  Image bar(p.w, p.h);
  for (int y = 0; y < p.h; ++y) {
    const Rgba colour = map.at(1 - (static_cast<float>(y) + 0.5f) / static_cast<float>(p.h));
    for (int x = 0; x < p.w; ++x) bar.set(x, y, colour);
  }
  paste(bar, p.x, p.y);
}

}  // namespace headlight
