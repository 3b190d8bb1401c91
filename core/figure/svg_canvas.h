// A figure as SVG 1.1: the same geometry as the pixels, in the units of the figure. Ours rather than Cairo's, whose SVG
// has no text that could be searched or edited.
#pragma once

#include <string>

#include "core/figure/canvas.h"

namespace headlight {

enum class SvgText : std::uint8_t {
  text,      ///< stays text: small, can be searched and edited, set in the reader's fonts
  outlines,  ///< drawn as shapes: looks the same everywhere
};

class SvgCanvas : public Canvas {
 public:
  /// A background with alpha 0 is left out. `typesetter` must outlive the canvas.
  /// With `on_paper` the file says that it is as large on paper: 0.75 pt to a unit.
  SvgCanvas(float width, float height, Rgba background, Theme theme, SvgText text, Typesetter& typesetter,
            bool on_paper = false);

  void fill(const Box& rect, Rgba colour) override;
  void text(const Label& label) override;
  void path(const std::vector<PathStep>& steps, float width, Rgba colour, bool filled) override;
  void area(const std::vector<std::vector<Point>>& polygons, Rgba colour) override;
  void image(const Box& rect, const Image& image, bool smooth) override;
  void clip(const std::optional<Box>& rect) override;
  /// Cells as rectangles up to 64 × 64 of them that are not tiny, beyond that a picture inside the file.
  void heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
               bool gaps) override;
  void swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) override;
  void colour_bar(const Box& rect, const Colormap& map, bool upright) override;

  /// Closes the document.
  std::string take();

 private:
  void cell(const Box& rect, CellKind kind, Rgba value_colour, bool flat_masked);
  void cells(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style, float gap);

  std::string svg_;
  const ThemeColours& theme_;
  SvgText text_;
  Typesetter& typesetter_;
  int gradients_ = 0, clips_ = 0;
  bool clipped_ = false;
};

/// The same file with a <title> and a <desc>.
std::string with_svg_about(std::string svg, const std::string& title, const std::string& description);

}  // namespace headlight
