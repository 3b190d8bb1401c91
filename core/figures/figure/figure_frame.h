// The first half of a figure's layout: the size of its cells and the room for everything around them.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/figures/figure/figure_layout.h"
#include "core/figures/figure/ticks.h"

namespace headlight {

inline constexpr float units_to_a_point = 96.0f / 72.0f;
inline constexpr float least_text = 6 * units_to_a_point;  // the smallest text in a figure

/// Sizes of text and the room around it, in units.
struct FigureMetrics {
  float title_text, label_text, tick_text, bar_text;
  float margin;
  float title_room, subtitle_room, name_room, head_room, strip_room;
  float tick_gap;  ///< between a matrix and its tick labels
  float bar_gap, bar_width, bar_text_gap;
  float swatch, legend_line, legend_gap;
  float panel_gap;
};
/// For a figure that grows around its cells.
FigureMetrics roomy_metrics(const FigureSpec& spec);
/// For a figure that has to fit a size; its ticks have text of `tick_text`.
FigureMetrics tight_metrics(const FigureSpec& spec, float tick_text);

enum class BarPlace : std::uint8_t { none, right, below, own };
enum class NamePlace : std::uint8_t {
  none,
  outside,  ///< outside the ticks; for a head above its matrix; the legend is below everything
  edges,    ///< of a grid: names of lines at the left, names of columns above
  beside,   ///< at the end of the ticks' line; a head's name inside its matrix; the legend below the bar
  corner,   ///< for rows, and the legend: left of the columns' labels and below the rows'
};

/// "(a) head 12"; shortened: "(a)", or "12".
std::string panel_name(const FigureSpec& spec, std::size_t panel, bool shortened);
/// Whether strips in the heads' colours tell panels apart.
bool has_strips(const FigureSpec& spec);

struct LegendEntry {
  CellKind kind;
  std::string text;  ///< "masked 15 of 36 (42 %)"
  /// A place on the colour map: of a category, or of the bar's end for cells beyond it.
  std::optional<float> shade = {};
};
/// The figure's categories, and the kinds of cells in the panels that are not values; `brief`: without counts.
std::vector<LegendEntry> legend_entries(const FigureSpec& spec, const std::vector<ValueRange>& ranges, bool brief);

struct FigureFrame {
  FigureMetrics metrics{};
  bool title = true, subtitle = true;
  std::vector<std::string> title_lines;  ///< the title in lines that fit; the last one may be cut
  BarPlace bar = BarPlace::none;
  NamePlace row_name = NamePlace::outside, col_name = NamePlace::outside;
  NamePlace head_names = NamePlace::outside, legend_place = NamePlace::outside;

  Index columns = 1, lines = 1;  ///< of the grid of panels
  float cell_width = 0, cell_height = 0;
  float panel_width = 0, panel_height = 0;
  AxisTicks row_ticks, col_ticks;
  float left = 0;           ///< from the content's left edge to the first matrix
  float right = 0;          ///< from the last matrix (or its own bar) to the content's right edge
  float top = 0;            ///< from the figure's top to the first matrix
  float ticks_below = 0;    ///< from the last matrix to the end of its ticks
  float below = 0;          ///< from the last matrix to the legend
  float mark_room = 0;      ///< labels of highlights above each matrix
  float panel_top = 0;      ///< that, and title and strip over each panel
  float own_bar = 0;        ///< room right of each panel
  float gap = 0;            ///< between panels, without panel_top
  float content_width = 0;  ///< axes, panels and bars
  float inner_width = 0;    ///< available for titles and legend
  float width = 0, height = 0;
  std::vector<std::vector<LegendEntry>> legend;  ///< by line
  float legend_width = 0;                        ///< of the longest line
  std::vector<Message> left_out;
};

/// The ticks of one colour bar, labelled according to the range's mode; `apart`: minimum distance of two, in units.
std::vector<BarTick> labelled_bar(const FigureSpec& spec, ColormapKind kind, ValueRange range, float length,
                                  float apart);
/// Whether each panel needs its own colour bar, because their ranges differ.
bool has_own_bars(const FigureSpec& spec, const std::vector<ValueRange>& ranges);

/// The common part of both ways to compute a frame.
class FrameMaker {
 public:
  FrameMaker(const FigureSpec& spec, const std::vector<ValueRange>& ranges, ColormapKind kind, Typesetter& typesetter)
      : spec_(spec),
        ranges_(ranges),
        kind_(kind),
        typesetter_(typesetter),
        rows_(spec.panels[0].matrix.rows),
        cols_(spec.panels[0].matrix.cols),
        count_(static_cast<Index>(spec.panels.size())),
        has_bar_(spec.bar && spec.palette != Palette::boolean),
        named_(spec.letters || std::ranges::any_of(spec.panels, [](auto& panel) { return !panel.title.empty(); })) {}

 protected:
  /// A matrix with few rows is stretched to this height, its cells at most to that.
  static constexpr float thin_side = 96, thin_cell = 24;
  static float number(Index n) { return static_cast<float>(n); }

  const FigureSpec& spec_;
  const std::vector<ValueRange>& ranges_;
  ColormapKind kind_;
  Typesetter& typesetter_;
  Index rows_, cols_, count_;  ///< of a matrix; of panels
  bool has_bar_, named_;       ///< the panels have letters or titles
};

/// A frame that grows around its cells, or only the cells; if the spec has a size, search_frame().
FigureFrame fit_frame(const FigureSpec& spec, const std::vector<ValueRange>& ranges, ColormapKind kind,
                      Typesetter& typesetter);
/// The largest matrices for the spec's size, with as many labels around them as possible.
FigureFrame search_frame(const FrameMaker& maker);

/// The title in at most three lines of this width; if that is too little, the last one is cut.
std::vector<std::string> title_lines(const FigureSpec& spec, float size, float width, Typesetter& typesetter);
/// The height of the lines after the first.
inline float more_title_room(std::size_t lines, const FigureMetrics& m) {
  return lines > 1 ? static_cast<float>(lines - 1) * 1.15f * m.title_text : 0;
}

// Shared by both.
void set_cells(FigureFrame& frame, const FigureSpec& spec, float cell_width, float cell_height);
float content_width(const FigureFrame& frame);
float content_height(const FigureFrame& frame);
/// Whether the legend is left of a bar below the matrices.
bool shares_line(const FigureFrame& frame);
void break_legend(FigureFrame& frame, const std::vector<LegendEntry>& entries, float width, Typesetter& typesetter);
/// The width of the bars' widest label.
float bar_label_width(const FigureSpec& spec, ColormapKind kind, const std::vector<ValueRange>& ranges, float length,
                      const FigureMetrics& metrics, Typesetter& typesetter);
/// The cost of empty places in a grid.
float raggedness(Index count, Index columns);

/// A figure of one or several panels of arcs.
FigureLayout lay_out_arcs(const FigureSpec& spec, const std::vector<ValueRange>& ranges, Typesetter& typesetter);

// The room for labels, names, bar and legend around the matrices of a figure, for each combination of options. Labels
// are measured once, and a combination is evaluated before any of its strings is created.

enum class TickWords : std::uint8_t { tokens, indices, none };

/// One combination of options, before any string is created.
struct FigureChoice {
  Index columns = 1;
  int text = 0;     // index into tick_texts
  int longest = 0;  // index into longest_words
  TickWords rows = TickWords::none, cols = TickWords::none;
  float angle = 0;
  bool row_tiers = false, col_tiers = false;
  BarPlace bar = BarPlace::none;
  NamePlace row_name = NamePlace::none, col_name = NamePlace::none;
  NamePlace head_names = NamePlace::none, legend = NamePlace::none;
  bool title = false, subtitle = false;
};

// Labels in two tiers, relative to the text size: the smallest cell, so that the line of an outer label passes between
// inner ones; and the gap between the tiers.
inline constexpr float tier_cell = 0.56f, tier_gap = 0.3f;

inline constexpr std::array longest_words{1000.0f, 8.0f, 5.0f};  // in ems

/// The widest label of an axis, and of those with an even and an odd index, in ems, by the maximum label length.
struct WordWidths {
  std::array<float, longest_words.size()> all{}, even{}, odd{};
  float depth(std::size_t longest, bool tiers) const {
    return tiers ? even[longest] + tier_gap + odd[longest] : all[longest];
  }
};

class FigureRoom : protected FrameMaker {
 public:
  explicit FigureRoom(const FrameMaker& maker);
  /// The room around the matrices, and the cells that it allows.
  FigureFrame room(const FigureChoice& c) const;
  /// Whether all labels and the bar fit into `room`.
  bool has_room(const FigureChoice& c, const FigureFrame& frame) const;

 protected:
  /// The line height; with the smallest text, only as much as capitals and descenders need, so that no label has to be
  /// omitted.
  float line_of(const FigureMetrics& m) const;

  bool free_corner_ = false;
  std::vector<LegendEntry> entries_;
  float width_, height_;
  std::vector<float> texts_;  // of ticks, from large to small
  std::vector<FigureMetrics> metrics_;
  std::vector<std::vector<std::string>> title_lines_;  // for each text
  std::vector<std::size_t> legend_lines_;
  std::vector<float> legend_widths_;
  WordWidths row_width_, col_width_;
  float row_index_ = 0, col_index_ = 0, row_label_ = 0, col_label_ = 0, bar_label_ = 0, legend_widest_ = 0;
  float panel_name_ = 0, line_name_ = 0, column_name_ = 0;  // the widest ones, in ems

 private:
  WordWidths widths(const std::vector<std::string>& tokens, Index count);
  /// Whether the upper right corner has no number, so that a name can be placed there.
  bool has_free_corner(const FigurePanel& panel) const;
  float legend_width(const FigureMetrics& m) const { return m.swatch + (0.5f + legend_widest_) * m.label_text; }
  /// Sets the largest cells that the room around the matrices allows.
  void fit_cells(FigureFrame& frame) const;
  /// From the top of the first matrix to the bottom of the last one.
  static float across(const FigureFrame& frame);
  /// The height of the part below the rows' labels.
  float in_corner(const FigureChoice& c, const FigureMetrics& m) const;
};

}  // namespace headlight
