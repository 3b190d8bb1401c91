// The drawing operations of figures, in units of 1/96 inch with y downwards, and their targets: pixels, PDF, SVG.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/image/png_image.h"
#include "core/figures/figure/heatmap_raster.h"
#include "core/figures/figure/typesetter.h"
#include "core/rules/stage/extent.h"

typedef struct _cairo_surface cairo_surface_t;

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

/// Straight lines from point to point; for a box, back to the first point.
std::vector<PathStep> through(std::initializer_list<Point> points);
std::vector<PathStep> around(const Box& box);

/// The polygon's corners in a fixed direction of rotation, so that overlapping polygons of a path are filled.
std::vector<Point> turned_alike(const std::vector<Point>& polygon);

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void fill(const Box& rect, Rgba colour) = 0;
  virtual void text(const Label& label) = 0;
  /// A line of this width, or a filled area.
  virtual void path(const std::vector<PathStep>& steps, float width, Rgba colour, bool filled) = 0;
  /// Draws the matrix over the whole of `rect`, with hairline gaps between cells if `gaps`. Ignores the scale and gap
  /// of `style`.
  virtual void heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
                       bool gaps) = 0;
  /// One cell of a kind, for a legend; a value stands for 1.
  virtual void swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) = 0;
  /// Convex polygons of one colour, filled as one area, without seams between neighbours.
  virtual void area(const std::vector<std::vector<Point>>& polygons, Rgba colour) = 0;
  /// Pixels over the whole of `rect`; `smooth`: interpolated if their size differs from the page's pixels.
  virtual void image(const Box& rect, const Image& image, bool smooth) = 0;
  /// Clips everything that follows to `rect`; unset: no clipping.
  virtual void clip(const std::optional<Box>& rect) = 0;
  /// A colour map: vertical with its highest value at the top, or horizontal with it at the right.
  virtual void colour_bar(const Box& rect, const Colormap& map, bool upright) = 0;
};

enum class SvgText : std::uint8_t {
  text,      ///< stays text: small, can be searched and edited, set in the reader's fonts
  outlines,  ///< drawn as shapes: looks the same everywhere
};

/// A figure as SVG 1.1 with the same geometry as the pixels, in units of the figure. Not by Cairo, whose SVG has no
/// text that can be searched or edited.
class SvgCanvas : public Canvas {
 public:
  /// A background with alpha 0 is omitted. `typesetter` must outlive the canvas.
  /// With `on_paper`, the file has a size for paper: 0.75 pt per unit.
  SvgCanvas(float width, float height, Rgba background, Theme theme, SvgText text, Typesetter& typesetter,
            bool on_paper = false);

  void fill(const Box& rect, Rgba colour) override;
  void text(const Label& label) override;
  void path(const std::vector<PathStep>& steps, float width, Rgba colour, bool filled) override;
  void area(const std::vector<std::vector<Point>>& polygons, Rgba colour) override;
  void image(const Box& rect, const Image& image, bool smooth) override;
  void clip(const std::optional<Box>& rect) override;
  /// Cells as rectangles if there are at most 64 × 64 of them and they are not tiny, otherwise an embedded picture.
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

/// The common part of pixels and PDF, both drawn by Cairo. Without Cairo there are only pixels, drawn with FreeType.
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
  /// Takes ownership of the surface and draws on it, with `scale` of its units per unit.
  void draw_on(cairo_surface_t* surface, double scale);
  void set_colour(Rgba colour);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The pixels of cells are those of heatmap_raster(), so that a cell's colour in a PNG equals its colour in the window.
class PixelCanvas : public FigureCanvas {
 public:
  /// `width` × `height` units at `scale` pixels per unit.
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
  /// Rounds edges to the nearest pixel; never thinner than one.
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

/// Cells are rectangles, and text can be selected.
class PdfCanvas : public FigureCanvas {
 public:
  /// Whether the program was built with Cairo, which writes PDFs.
  static bool is_available();

  /// The first page; a background with alpha 0 is omitted. Throws InputError if the program was built without Cairo.
  PdfCanvas(float width, float height, Rgba background, Typesetter& typesetter, const PdfAbout& about);

  void fill(const Box& rect, Rgba colour) override;
  void text(const Label& label) override;
  void heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
               bool gaps) override;
  void swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) override;
  void colour_bar(const Box& rect, const Colormap& map, bool upright) override;

  /// Moves everything that is drawn afterwards to the right and down.
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
