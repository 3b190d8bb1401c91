// The few things a figure is drawn with, in units of 1/96 inch, y downwards. Two backends: pixels and SVG.
#pragma once

#include "core/figure/heatmap_raster.h"
#include "core/figure/typesetter.h"
#include "core/stage/cell_kind.h"

namespace headlight {

struct Box {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  bool operator==(const Box&) const = default;
};

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void fill(const Box& rect, Rgba colour) = 0;
  virtual void text(const Label& label) = 0;
  /// The matrix over the whole of `rect`, hair gaps between cells where `gaps`. Of `style`, scale and gap are ignored.
  virtual void heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
                       bool gaps) = 0;
  /// One cell of a kind, for a legend; a value stands for 1.
  virtual void swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) = 0;
  /// A colour map upright, its highest value at the top.
  virtual void colour_bar(const Box& rect, const Colormap& map) = 0;
};

}  // namespace headlight
