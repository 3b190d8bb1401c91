// Figures: one matrix, or several heads in a grid, with title, axes, tokens, colour bar and legend, as PNG, SVG or PDF.
//
//   FigureSpec spec;
//   spec.title = "weights";
//   spec.palette = Palette::sequential;
//   spec.panels = {{weights.matrix(0, 2), {mask.matrix(0, 2)}, "head 2", colours(spec.theme).heads[2]}};
//   spec.row_ticks = spec.col_ticks = tokens;
//   write(path, ArrangedFigure(spec).png());
//
// Lengths are in units of 1/96 inch, which are pixels at scale 1. At another scale the same figure has more pixels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/figure/canvas.h"
#include "core/figure/colormap.h"
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

/// A figure as pixels, with fewer of them to a unit where it would take more than were asked for.
struct FigurePreview {
  Image image;
  int width = 0, height = 0;  ///< the pixels that the file has
};

/// A label without the marks around its indices: "Q_h".
std::string as_plain_text(std::string text);

/// A figure whose layout is computed once, for several files or questions. The same figure gives the same bytes.
class ArrangedFigure {
 public:
  /// Throws SettingError: for --colormap an unknown name; for --size and --cell sizes that are not positive, or a
  /// picture beyond most_pixels either way.
  explicit ArrangedFigure(FigureSpec spec);
  ~ArrangedFigure();
  ArrangedFigure(const ArrangedFigure&) = delete;
  ArrangedFigure& operator=(const ArrangedFigure&) = delete;

  static constexpr int most_pixels = 16384;

  /// `about` is the description in the file: PDF's subject, SVG's and PNG's description; "" = none. The PDF has one
  /// page of vectors, its fonts embedded, its text selectable.
  std::vector<std::uint8_t> png(const std::string& about = {});
  std::string svg(SvgText text = SvgText::text, const std::string& about = {});
  std::string pdf(const std::string& about = {});
  /// The figure as png() draws it, within so many pixels.
  FigurePreview preview(int most_width = most_pixels, int most_height = most_pixels);
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

// A figure as one interactive HTML file. It holds its numbers, style and script (assets/figure) and loads nothing from
// the network, so it opens from disk and within other pages.

/// The most cells that a file may hold, over all panels.
inline constexpr Index most_html_cells = 4'000'000;
/// With more cells, those without a number are left out of `values`: 12 layers of 12 heads of 64 tokens with a causal
/// mask take 0.9 MB in place of 1.6.
inline constexpr Index most_whole_cells = 500'000;

/// The count of numbers in the figure's page, and the most that keep it below 1.5 MB.
Index html_numbers(const FigureSpec& spec);
inline constexpr Index most_html_numbers = 540'000;

/// The numbers stand in <script type="application/json" id="headlight-data">: `values` is the base64 of little-endian
/// int16, [heads, rows, cols], times `scale`; cells that hold no number (masked, NaN) are 0 there, and `kinds` says
/// which; where `kept_only` is true they are left out. `stage` is the name that a script looks for. `arrives`, of the
/// same panels, is what each weight brings: the page has a choice between the two ("arrives": stage, scale, values).
/// Throws SettingError for an unknown colour map and for more cells than most_html_cells; FileError where the assets
/// are not found.
std::string html_figure(const FigureSpec& spec, const std::string& stage, const FigureSpec* arrives = nullptr);

}  // namespace headlight
