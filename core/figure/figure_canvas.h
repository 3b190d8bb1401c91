// A figure drawn by Cairo, as pixels or as pages of a PDF; without Cairo by FreeType, as pixels only.
// Pixels of cells are heatmap_raster()'s own, so that a cell's colour in a PNG is exactly its colour in the window; in
// a PDF cells are rectangles, and text can be selected.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/figure/canvas.h"
#include "core/image/png_image.h"

typedef struct _cairo_surface cairo_surface_t;

namespace headlight {

/// Canvas on pixels or on a PDF, in units.
class FigureCanvas : public Canvas {
 public:
  ~FigureCanvas() override;
  void path(const std::vector<PathStep>& steps, float width, Rgba colour, bool filled) override;
  void area(const std::vector<std::vector<Point>>& polygons, Rgba colour) override;
  void image(const Box& rect, const Image& image, bool smooth) override;
  void clip(const std::optional<Box>& rect) override;

 protected:
  /// `typesetter` must outlive the canvas.
  explicit FigureCanvas(Typesetter& typesetter);
  /// Owns the surface and draws on it; `scale` of its units are one of ours.
  void draw_on(cairo_surface_t* surface, double scale);
  void set_colour(Rgba colour);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class PixelCanvas : public FigureCanvas {
 public:
  /// `width` × `height` units at `scale` pixels to a unit.
  PixelCanvas(float width, float height, float scale, Rgba background, Typesetter& typesetter);

  void fill(const Box& rect, Rgba colour) override;
  void text(const Label& label) override;
  void heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
               bool gaps) override;
  void swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) override;
  void colour_bar(const Box& rect, const Colormap& map, bool upright) override;

  Image take();

 private:
  struct Pixels {
    int x, y, w, h;
  };
  /// At least one.
  int to_pixels(float units) const;
  /// Edges go to the nearest pixel; never thinner than one.
  Pixels snap(const Box& rect) const;
  void paste(const Image& image, int x, int y);

  float scale_;
  int width_, height_;
};

/// The metadata of a PDF. Its date is the Unix time in SOURCE_DATE_EPOCH if that is set, else a fixed one, so that the
/// same figure gives the same bytes.
struct PdfAbout {
  std::string title;
  std::string subject{};  ///< "" = none
};

class PdfCanvas : public FigureCanvas {
 public:
  /// The first page; a background with alpha 0 is left out. Throws InputError in a program without Cairo.
  PdfCanvas(float width, float height, Rgba background, Typesetter& typesetter, const PdfAbout& about);

  void fill(const Box& rect, Rgba colour) override;
  void text(const Label& label) override;
  void heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
               bool gaps) override;
  void swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) override;
  void colour_bar(const Box& rect, const Colormap& map, bool upright) override;

  /// Moves everything that is drawn from here on to the right and down.
  void move_origin(Point by);
  void next_page(float width, float height);
  /// Closes the document.
  std::string take();

 private:
  void begin_page(float width, float height);
  void cell(const Box& rect, CellKind kind, Rgba value_colour, const HeatmapStyle& style);
  void stripes(const Box& rect, Rgba ground, Rgba line, bool rising, float fineness);
  void dots(const Box& rect, Rgba ground, Rgba line);

  Rgba background_;
};

}  // namespace headlight
