// A figure drawn by Cairo, as pixels or as the pages of a PDF; in a program without Cairo by FreeType, as pixels alone.
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

/// What Canvas draws, in units, on either.
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
  /// Takes the surface over and draws on it, `scale` of its own units to one of ours.
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

/// What a PDF says about itself. Its date is the Unix time in SOURCE_DATE_EPOCH where that is set, else always the
/// same: the same figure is the same bytes.
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

  /// What is drawn from here on is drawn so much farther right and down.
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
