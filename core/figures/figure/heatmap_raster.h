// A matrix as pixels. The formulas below are simple on purpose: the window's shader repeats them, and both give the
// same picture within 1/255.
//
// A picture of w × h pixels shows rows × cols cells. Pixel (x, y), counted from the top left, shows the cell
//     col = floor((2x + 1) · cols / (2w)),  row = floor((2y + 1) · rows / (2h)).
// With g = gap > 0, a pixel is between two cells and shows the card's background, if x + g < w and col(x + g) ≠ col(x),
// or likewise for the rows. Masked and −∞ cells smaller than 16s in either direction have no such gap: their hatching
// is continuous.
//
// With s = pixels to a unit (1, or the monitor's scale) and p = (x + ½, y + ½), by the cell's kind:
//     value          colour map at (v − lo) / (hi − lo)
//     masked, −∞     hatch_line over hatch_ground by stripe(p.x + p.y), in it s · hatch for s; with flat_masked,
//                    flat_mask() alone
//     +∞             mark_line over mark_ground by stripe(p.y − p.x)
//     NaN            mark_line over mark_ground by dots(p)
//     dropped        crossed_line over crossed_ground by cross(p − centre of the cell)
// where
//     stripe(u)  = clamp(½ + 0.7 s − |mod(u, 6s) − 3s| / √2)        lines 1.4s thick, 45°, one grid over the picture
//     dots(p)    = clamp(½ + 1.25 s − |mod(p, 5s) − 2.5s|)          Euclidean length
//     cross(d)   = clamp(½ + ½ s − min(|d.x − d.y|, |d.x + d.y|) / √2), 0 where max(|d.x|, |d.y|) > 0.32 · min(w /
//     cols, h / rows)
// and clamp is to [0, 1]. In cells smaller than 6s either way patterns do not show: NaN and +∞ are flat mark_line,
// dropped is flat mix(crossed_ground, crossed_line, 0.35); masked keeps its hatching, which runs across cells.
#pragma once

#include "core/base/image/png_image.h"
#include "core/base/image/theme.h"
#include "core/figures/figure/colormap.h"
#include "core/rules/stage/extent.h"

namespace headlight {

struct HeatmapStyle {
  const Colormap* map = nullptr;  ///< must outlive the call
  ValueRange range{};
  Theme theme = Theme::light;
  float scale = 1;  ///< pixels per unit of the patterns
  int gap = 0;      ///< pixels between cells; see heatmap_gap()
  Rgba gap_colour = colours(Theme::light).card;
  bool flat_masked = false;  ///< no hatching, for cells where it would be too prominent
  float hatch = 1;           ///< line width of masked cells relative to that of the other patterns: finer on paper
};

/// The flat colour for masked cells without hatching: the average of the hatching.
Rgba flat_mask(Theme theme);

/// The value of a map's neutral colour: the middle of the range, or its low end.
inline float neutral_value(ColormapKind kind, ValueRange range) {
  return kind == ColormapKind::diverging ? (range.lo + range.hi) / 2 : range.lo;
}

/// One unit if cells are at least six units wide and high, otherwise 0.
int heatmap_gap(double cell_width, double cell_height, float scale = 1);

/// `width` × `height` pixels, both > 0. A matrix with more rows or columns is pooled first (see pool.h) around the
/// value of the map's resting colour, so that extreme values stay visible.
Image heatmap_raster(const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style, int width,
                     int height);

/// A swatch of the legend: one cell of this kind; a value is shown as 1.
Image cell_swatch(CellKind kind, const HeatmapStyle& style, int width, int height);

}  // namespace headlight
