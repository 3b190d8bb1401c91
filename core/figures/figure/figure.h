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

#include "core/base/image/png_image.h"
#include "core/base/image/theme.h"
#include "core/base/tensor/message.h"
#include "core/figures/figure/canvas.h"
#include "core/figures/figure/colormap.h"
#include "core/rules/stage/extent.h"
#include "core/rules/stage/stage.h"

namespace headlight {

/// One matrix. The tensors of the views must live until the figure is drawn.
struct FigurePanel {
  MatrixView matrix;  ///< at least 1 × 1; all panels of a figure have the same rows and columns
  CellMasks masks;
  std::string title;                     ///< above the panel; may be empty
  std::optional<Rgba> hue;               ///< a strip above the panel, e.g. in the head's colour
  std::shared_ptr<const Image> under{};  ///< a picture below the cells
  float opacity = 1;                     ///< opacity of the cells over it; 0: only the picture
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

/// A frame around cells of every panel; rows and columns as in the ticks; the ends are exclusive.
struct Highlight {
  Index first_row = 0, last_row = 0, first_col = 0, last_col = 0;
  std::string label;
  bool operator==(const Highlight&) const = default;
};

enum class FigureKind : std::uint8_t {
  heatmap,
  arcs,  ///< words as two columns, a line from query to key for each weight
};

/// The appearance of a figure, independent of its contents.
struct FigureLook {
  Theme theme = Theme::light;
  std::string colormap;  ///< by name; empty: the default of the palette
  Norm norm = Norm::linear;
  bool on_paper = false;  ///< for a size on paper: text in points, thin frames, flat masks, no head colours
  bool print = false;     ///< black ink, distinguishable without colour
  bool transparent = false;
  bool bar = true;                 ///< with colour bars
  bool values = false;             ///< numbers in the cells, if they fit
  bool bare = false;               ///< only the cells, without gaps; fills `size` exactly
  std::optional<float> cell;       ///< width and height of a cell
  std::optional<FigureSize> size;  ///< of the whole figure; overrides `cell`
  std::optional<float> font_size;  ///< in points; unset: 8 on paper, else 9
  std::string font;                ///< a family; empty: our own
  std::optional<Index> columns;    ///< of the grid of panels; unset: chosen automatically
  bool letters = false;            ///< (a), (b), … before the panels' titles
  std::vector<Highlight> highlights;
  /// A frame around the largest cells that together hold this share of their row, or of a panel over a picture.
  std::optional<float> mass;
  float scale = 1;  ///< pixels per unit; dpi / 96
  bool operator==(const FigureLook&) const = default;
};

struct FigureSpec : FigureLook {
  std::vector<FigurePanel> panels;  ///< at least one
  FigureKind kind = FigureKind::heatmap;
  std::string title;
  bool keep_title = false;  ///< also if there is little room: it says what the colours are, or the user wrote it
  std::string shape;        ///< next to the title, muted; empty: "rows × columns"
  std::string subtitle;
  std::string row_label;  ///< what the rows are, e.g. "queries"
  std::string col_label;
  std::vector<std::string> row_ticks;  ///< tokens; empty: indices
  std::vector<std::string> col_ticks;
  std::vector<std::shared_ptr<const Image>> row_pictures{}, col_pictures{};  ///< instead of ticks; null: the tick
  Index first_row = 0, first_col = 0;  ///< the first index, if it is a part of a matrix

  Palette palette = Palette::diverging;  ///< boolean: 0 is drawn as masked, all other cells in one colour
  RangeMode range_mode = RangeMode::head;
  /// Required for fixed; for stage, if the stage has more matrices than the panels. Otherwise stage means all panels
  /// together.
  std::optional<ValueRange> range;

  std::vector<std::string> cell_words{};  ///< with `values`, texts instead of numbers: row by row, for one panel
  /// The tokens as a tokenizer's vocabulary spells them, if that differs from the ticks; empty: it does not.
  std::vector<std::string> row_spelled{}, col_spelled{};
  bool broken_bar = false;  ///< the bar ends before the largest value, which would make all others pale
  std::vector<std::string> line_names, column_names;  ///< of a grid, if the panels' own names do not fit
  FigureWords words;
  /// What the colours mean if they are no scale: for each, its place on the colour map from 0 to 1, and its words. The
  /// legend then has no counts.
  std::vector<std::pair<float, std::string>> categories{};
  std::vector<Tensor> kept;  ///< keeps tensors of the panels alive
};

/// The figure's colours in a theme. Throws SettingError for --colormap with an unknown name.
Colormap colormap_of(const FigureSpec& spec, Theme theme);

/// A figure as pixels, with fewer pixels per unit if it would exceed the requested size.
struct FigurePreview {
  Image image;
  int width = 0, height = 0;  ///< size of the file in pixels
};

/// A label without the markup of its indices: "Q_h".
std::string as_plain_text(std::string text);

/// A figure whose layout is computed once and used for several files or queries. Equal figures give equal bytes.
class ArrangedFigure {
 public:
  /// Throws SettingError: for --colormap if the name is unknown; for --size and --cell if a size is not positive, or a
  /// picture is larger than most_pixels in either direction.
  explicit ArrangedFigure(FigureSpec spec);
  ~ArrangedFigure();
  ArrangedFigure(const ArrangedFigure&) = delete;
  ArrangedFigure& operator=(const ArrangedFigure&) = delete;

  static constexpr int most_pixels = 16384;

  /// `about` is the description in the file: PDF's subject, SVG's and PNG's description; "" = none. The PDF has one
  /// page of vectors with embedded fonts and selectable text.
  std::vector<std::uint8_t> png(const std::string& about = {});
  std::string svg(SvgText text = SvgText::text, const std::string& about = {});
  std::string pdf(const std::string& about = {});
  /// The figure as png() draws it, limited to this size.
  FigurePreview preview(int most_width = most_pixels, int most_height = most_pixels);
  /// Draws it on a page, with its upper left corner at `at`.
  void draw(PdfCanvas& canvas, Point at) const;
  /// In units.
  FigureSize size() const;
  /// The parts that were omitted because they do not fit, as text: {"title", "every other of the row words"}.
  const std::vector<Message>& left_out() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A figure as one interactive HTML file. It contains its numbers, style and script (assets/figure) and loads nothing
// from the network, so it works from disk and embedded in other pages.

/// Maximum number of cells in a file, over all panels.
inline constexpr Index most_html_cells = 4'000'000;
/// With more cells, those without a number are omitted from `values`: 12 layers of 12 heads of 64 tokens with a causal
/// mask take 0.9 MB instead of 1.6.
inline constexpr Index most_whole_cells = 500'000;

/// The number of values in the figure's page, and the maximum that keeps it below 1.5 MB.
Index html_numbers(const FigureSpec& spec);
inline constexpr Index most_html_numbers = 540'000;

/// The numbers are in <script type="application/json" id="headlight-data">: `values` is base64 of little-endian int16,
/// [heads, rows, cols], times `scale`. Cells without a number (masked, NaN) are 0 there, with their kind in `kinds`; if
/// `kept_only` is true they are omitted. `stage` is the name that a script looks for. `arrives`, with the same panels,
/// has the contribution norms: the page can switch between the two ("arrives": stage, scale, values). Throws
/// SettingError for an unknown colour map and for more cells than most_html_cells; FileError if the assets are not
/// found.
std::string html_figure(const FigureSpec& spec, const std::string& stage, const FigureSpec* arrives = nullptr);

}  // namespace headlight
