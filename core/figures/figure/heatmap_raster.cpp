#include "core/figures/figure/heatmap_raster.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "core/rules/stage/pool.h"

namespace headlight {
namespace {

constexpr float root2 = 1.41421356f;

float clamp01(float x) { return std::clamp(x, 0.0f, 1.0f); }
float wrap(float x, float period) { return x - period * std::floor(x / period); }

/// Draws the patterns of the header's formulas, for one picture.
class Painter {
 public:
  Painter(const HeatmapStyle& style, float cell_width, float cell_height)
      : style_(style),
        theme_(colours(style.theme)),
        cell_(std::min(cell_width, cell_height)),
        small_(cell_ < 6 * style.scale) {}

  /// Whether there is a gap after a cell of this kind.
  bool has_seam(CellKind kind) const {
    const bool masked = kind == CellKind::masked || kind == CellKind::neg_inf;
    return !masked || (cell_ >= 16 * style_.scale && !style_.flat_masked);
  }

  /// px, py: the pixel's centre; dx, dy: its distance from the cell's centre.
  Rgba paint(CellKind kind, Rgba value_colour, float px, float py, float dx, float dy) const {
    switch (kind) {
      case CellKind::value: return value_colour;
      case CellKind::masked:
      case CellKind::neg_inf:
        return style_.flat_masked
                   ? flat_mask(style_.theme)
                   : mix(theme_.hatch_ground, theme_.hatch_line, stripe(px + py, style_.scale * style_.hatch));
      case CellKind::pos_inf:
        return mix(theme_.mark_ground, theme_.mark_line, small_ ? 1 : stripe(py - px, style_.scale));
      case CellKind::nan: return mix(theme_.mark_ground, theme_.mark_line, small_ ? 1 : dots(px, py));
      case CellKind::dropped: break;
    }
    return mix(theme_.crossed_ground, theme_.crossed_line, small_ ? 0.35f : cross(dx, dy));
  }

 private:
  static float stripe(float u, float s) { return clamp01(0.5f + 0.7f * s - std::fabs(wrap(u, 6 * s) - 3 * s) / root2); }
  float dots(float px, float py) const {
    const float s = style_.scale;
    return clamp01(0.5f + 1.25f * s - std::hypot(wrap(px, 5 * s) - 2.5f * s, wrap(py, 5 * s) - 2.5f * s));
  }
  float cross(float dx, float dy) const {
    if (std::max(std::fabs(dx), std::fabs(dy)) > 0.32f * cell_) return 0;
    return clamp01(0.5f + 0.5f * style_.scale - std::min(std::fabs(dx - dy), std::fabs(dx + dy)) / root2);
  }

  const HeatmapStyle& style_;
  const ThemeColours& theme_;
  float cell_;
  bool small_;
};

/// The cell that a pixel of an axis shows.
struct AxisPixel {
  Index cell;
  bool seam;  ///< a gap at the far edge of the cell
};

std::vector<AxisPixel> axis_pixels(Index cells, int pixels, int gap) {
  const auto cell_of = [&](int pixel) { return (2 * Index{pixel} + 1) * cells / (2 * Index{pixels}); };
  std::vector<AxisPixel> out;
  for (int pixel = 0; pixel < pixels; ++pixel) {
    const bool seam = gap > 0 && pixel + gap < pixels && cell_of(pixel + gap) != cell_of(pixel);
    out.push_back({cell_of(pixel), seam});
  }
  return out;
}

std::vector<Rgba> value_colours(const PooledMatrix& cells, const HeatmapStyle& style) {
  std::vector<Rgba> out(cells.values.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (cells.kinds[i] == CellKind::value) out[i] = style.map->at(normalise(cells.values[i], style.range));
  }
  return out;
}

}  // namespace

Rgba flat_mask(Theme theme) { return mix(colours(theme).hatch_ground, colours(theme).hatch_line, 0.2f); }

int heatmap_gap(double cell_width, double cell_height, float scale) {
  const bool has_gaps = std::min(cell_width, cell_height) >= 6.0 * static_cast<double>(scale);
  return has_gaps ? std::max(1, static_cast<int>(std::lround(scale))) : 0;
}

Image heatmap_raster(const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style, int width,
                     int height) {
  assert(style.map != nullptr && width > 0 && height > 0 && matrix.rows > 0 && matrix.cols > 0);
  const PooledMatrix cells = pool(matrix, masks, height, width, neutral_value(style.map->kind(), style.range));
  const std::vector<Rgba> palette = value_colours(cells, style);
  const float cell_width = static_cast<float>(width) / static_cast<float>(cells.cols);
  const float cell_height = static_cast<float>(height) / static_cast<float>(cells.rows);
  const Painter painter(style, cell_width, cell_height);
  const std::vector<AxisPixel> cols = axis_pixels(cells.cols, width, style.gap);
  const std::vector<AxisPixel> rows = axis_pixels(cells.rows, height, style.gap);
  Image image(width, height, style.gap_colour);
  // The stripes of a masked cell depend only on x + y.
  std::vector<Rgba> stripes;
  for (int sum = 0; sum < width + height; ++sum)
    stripes.push_back(painter.paint(CellKind::masked, {}, static_cast<float>(sum) + 0.5f, 0.5f, 0, 0));
  for (int y = 0; y < height; ++y) {
    const auto [row, row_seam] = rows[static_cast<std::size_t>(y)];
    const float py = static_cast<float>(y) + 0.5f, dy = py - (static_cast<float>(row) + 0.5f) * cell_height;
    std::uint8_t* to = image.rgba.data() + std::ptrdiff_t{y} * width * 4;
    for (int x = 0; x < width; ++x, to += 4) {
      const auto [col, col_seam] = cols[static_cast<std::size_t>(x)];
      const CellKind kind = cells.kind(row, col);
      if ((row_seam || col_seam) && painter.has_seam(kind)) continue;
      Rgba colour;
      if (kind == CellKind::value) {
        colour = palette[static_cast<std::size_t>(row * cells.cols + col)];
      } else if (kind == CellKind::masked || kind == CellKind::neg_inf) {
        colour = stripes[static_cast<std::size_t>(x + y)];
      } else {
        const float px = static_cast<float>(x) + 0.5f, dx = px - (static_cast<float>(col) + 0.5f) * cell_width;
        colour = painter.paint(kind, {}, px, py, dx, dy);
      }
      to[0] = colour.r, to[1] = colour.g, to[2] = colour.b, to[3] = colour.a;
    }
  }
  return image;
}

Image cell_swatch(CellKind kind, const HeatmapStyle& style, int width, int height) {
  const Painter painter(style, static_cast<float>(width), static_cast<float>(height));
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float px = static_cast<float>(x) + 0.5f, py = static_cast<float>(y) + 0.5f;
      const float dx = px - static_cast<float>(width) / 2, dy = py - static_cast<float>(height) / 2;
      image.set(x, y, painter.paint(kind, style.map->at(normalise(1, style.range)), px, py, dx, dy));
    }
  }
  return image;
}

}  // namespace headlight
