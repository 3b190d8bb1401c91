// A figure as pixels.
#pragma once

#include "core/figure/canvas.h"
#include "core/image/png_image.h"

namespace headlight {

class RasterCanvas : public Canvas {
 public:
  /// `width` × `height` units at `scale` pixels to a unit; `typesetter` must outlive the canvas.
  RasterCanvas(float width, float height, float scale, Rgba background, Typesetter& typesetter);

  void fill(const Box& rect, Rgba colour) override;
  void text(const Label& label) override;
  void heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
               bool gaps) override;
  void swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) override;
  void colour_bar(const Box& rect, const Colormap& map) override;

  Image take() { return std::move(image_); }

 private:
  struct Pixels {
    int x, y, w, h;
  };
  /// Edges go to the nearest pixel; never thinner than one.
  Pixels snap(const Box& rect) const;
  void paste(const Image& image, int x, int y);

  float scale_;
  Image image_;
  Typesetter& typesetter_;
};

}  // namespace headlight
