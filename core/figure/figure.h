// Figures: one matrix, or several heads in a grid, with title, axes, tokens, colour bar and legend, as PNG, SVG or PDF.
//
//   FigureSpec spec;
//   spec.title = "weights";
//   spec.palette = Palette::sequential;
//   spec.panels = {{weights.matrix(0, 2), {mask.matrix(0, 2)}, "head 2", colours(spec.theme).heads[2]}};
//   spec.row_ticks = spec.col_ticks = tokens;
//   write(path, encode_png(render_image(spec)));
//
// Lengths are in units of 1/96 inch, which are pixels at scale 1. At another scale the same figure has more pixels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/figure/colormap.h"
#include "core/figure/svg_canvas.h"
#include "core/image/png_image.h"
#include "core/image/theme.h"
#include "core/stage/extent.h"
#include "core/stage/stage.h"
#include "core/tensor/message.h"

namespace headlight {

/// One matrix. The views' tensors must live until the figure is drawn.
struct FigurePanel {
  MatrixView matrix;  ///< at least 1 × 1; all panels of a figure have the same rows and columns
  CellMasks masks;
  std::string title;                     ///< above the panel; may be empty
  std::optional<Rgba> hue;               ///< a strip over the panel, e.g. the head's colour
  std::shared_ptr<const Image> under{};  ///< a picture that the cells lie over,
  float opacity = 1;                     ///< as opaque as this; 0: the picture alone
};

struct FigureSize {
  float width = 0, height = 0;  ///< height 0: as the width requires
  bool operator==(const FigureSize&) const = default;
};

/// A figure's own words, for translation.
struct FigureWords {
  std::string masked = "masked";
  std::string dropped = "dropped";
  std::string may_attend = "may attend";
  std::string row_maximum = "row max";
  std::string above = "above", below = "below";  ///< "0.4 % above 0.5"
  std::string of = "of";                         ///< "15 of 36"
};

/// A frame around cells of every panel; rows and columns as the ticks count them, the last ones not included.
struct Highlight {
  Index first_row = 0, last_row = 0, first_col = 0, last_col = 0;
  std::string label;
  bool operator==(const Highlight&) const = default;
};

enum class FigureKind : std::uint8_t {
  heatmap,
  arcs,  ///< words as two columns, a line from query to key for each weight
};

/// How a figure looks, whatever it shows.
struct FigureLook {
  Theme theme = Theme::light;
  std::string colormap;  ///< by name; empty: the palette's own
  Norm norm = Norm::linear;
  bool on_paper = false;  ///< a size on paper: text in points, thin frames, flat masks, no colours of heads
  bool print = false;     ///< black ink, told apart without colour
  bool transparent = false;
  bool bar = true;                 ///< with colour bars
  bool values = false;             ///< numbers in the cells, as far as they fit
  bool bare = false;               ///< the cells alone, without gaps; fills `size` exactly
  std::optional<float> cell;       ///< width and height of a cell
  std::optional<FigureSize> size;  ///< of the whole figure; overrides `cell`
  std::optional<float> font_size;  ///< in points; unset: 8 on paper, else 9
  std::string font;                ///< a family; empty: our own
  std::optional<Index> columns;    ///< of the grid of panels; unset: what suits
  bool letters = false;            ///< (a), (b), … before the panels' titles
  std::vector<Highlight> highlights;
  float scale = 1;  ///< pixels to a unit; dpi / 96
  bool operator==(const FigureLook&) const = default;
};

struct FigureSpec : FigureLook {
  std::vector<FigurePanel> panels;  ///< at least one
  FigureKind kind = FigureKind::heatmap;
  std::string title;
  bool keep_title = false;  ///< also if there is little room
  std::string shape;        ///< beside the title, muted; empty: "rows × columns"
  std::string subtitle;
  std::string row_label;  ///< what the rows are, e.g. "queries"
  std::string col_label;
  std::vector<std::string> row_ticks;  ///< tokens; empty: indices
  std::vector<std::string> col_ticks;
  std::vector<std::shared_ptr<const Image>> row_pictures{}, col_pictures{};  ///< in place of ticks; null: the tick
  Index first_row = 0, first_col = 0;  ///< the first index, if it is a part of a matrix

  Palette palette = Palette::diverging;  ///< boolean: 0 is drawn as masked, all else in one colour
  RangeMode range_mode = RangeMode::head;
  /// For fixed, and for stage if the stage has more than the panels; without it, stage means all panels together.
  std::optional<ValueRange> range;

  std::vector<std::string> cell_words{};              ///< with `values`, in place of numbers: row by row, of one panel
  std::vector<std::string> line_names, column_names;  ///< of a grid, if the panels' own names do not fit
  FigureWords words;
  std::vector<Tensor> kept;  ///< keeps tensors of the panels alive
};

/// The figure's colours in a theme. Throws SettingError for --colormap with an unknown name.
Colormap colormap_of(const FigureSpec& spec, Theme theme);

/// Throws SettingError: for --colormap an unknown name; for --size and --cell sizes that are not positive, or a picture
/// beyond 16384 pixels either way.
Image render_image(const FigureSpec& spec);
/// The figure as render_image() draws it or, if that would take more pixels than given, with fewer pixels per
/// unit.
struct FigurePreview {
  Image image;
  int width = 0, height = 0;  ///< the pixels that render_image() gives
};
/// The same figure as a PNG file, its resolution noted.
std::vector<std::uint8_t> render_png(const FigureSpec& spec);
std::string render_svg(const FigureSpec& spec, SvgText text = SvgText::text);
/// A PDF of one page: vectors, its fonts embedded, its text selectable. The same figure gives the same bytes.
std::string render_pdf(const FigureSpec& spec);
/// What is left out because it does not fit, in words: {"title", "every other row's word"}.
std::vector<Message> left_out(const FigureSpec& spec);

// A figure whose layout is computed once, for several files or questions.
class PdfCanvas;

/// A label without the marks around its indices: "Q_h".
std::string as_plain_text(std::string text);

class ArrangedFigure {
 public:
  /// Throws SettingError as render_image().
  explicit ArrangedFigure(FigureSpec spec);
  ~ArrangedFigure();
  ArrangedFigure(const ArrangedFigure&) = delete;
  ArrangedFigure& operator=(const ArrangedFigure&) = delete;

  /// `about` is the description in the file: PDF's subject, SVG's and PNG's description; "" = none.
  std::vector<std::uint8_t> png(const std::string& about = {});
  std::string svg(SvgText text = SvgText::text, const std::string& about = {});
  std::string pdf(const std::string& about = {});
  /// As render_preview().
  FigurePreview preview(int most_width, int most_height);
  /// Within a page, its upper left corner at `at`.
  void draw(PdfCanvas& canvas, Point at) const;
  /// In units.
  FigureSize size() const;
  /// What is left out because it does not fit, in words: {"title", "every other of the row words"}.
  const std::vector<Message>& left_out() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
