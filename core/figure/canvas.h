// The drawing operations of figures, in units of 1/96 inch, y downwards. Backends: pixels and PDF
// (figure_canvas.h), SVG (svg_canvas.h).
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "core/figure/heatmap_raster.h"
#include "core/figure/typesetter.h"
#include "core/stage/extent.h"

namespace headlight {

struct Box {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  bool operator==(const Box&) const = default;
};

/// One step of a path: to `to`, straight or, with control points, along a cubic curve. A path begins at its
/// first step's `to`.
struct PathStep {
  Point to;
  bool curved = false;
  Point control[2] = {};
};

/// Straight from point to point; around a box, back to where it began.
std::vector<PathStep> through(std::initializer_list<Point> points);
std::vector<PathStep> around(const Box& box);

/// The polygon's corners in one fixed direction, so that overlapping polygons of a path are filled.
std::vector<Point> turned_alike(const std::vector<Point>& polygon);

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void fill(const Box& rect, Rgba colour) = 0;
  virtual void text(const Label& label) = 0;
  /// A line of this width, or the closed area.
  virtual void path(const std::vector<PathStep>& steps, float width, Rgba colour, bool filled) = 0;
  /// The matrix over the whole of `rect`, hair gaps between cells where `gaps`. Of `style`, scale and gap are ignored.
  virtual void heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
                       bool gaps) = 0;
  /// One cell of a kind, for a legend; a value stands for 1.
  virtual void swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) = 0;
  /// Convex polygons of one colour, filled as one area: no seam shows between neighbours.
  virtual void area(const std::vector<std::vector<Point>>& polygons, Rgba colour) = 0;
  /// Pixels over the whole of `rect`; `smooth`: interpolated if their size differs from the page's pixels.
  virtual void image(const Box& rect, const Image& image, bool smooth) = 0;
  /// From here on only the part within `rect` is drawn; unset: everything.
  virtual void clip(const std::optional<Box>& rect) = 0;
  /// A colour map: upright, its highest value at the top; else at the right.
  virtual void colour_bar(const Box& rect, const Colormap& map, bool upright) = 0;
};

}  // namespace headlight
