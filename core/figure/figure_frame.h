// The first half of a figure's layout: how large its cells are and how much room everything around them takes.
#pragma once

#include <string>
#include <vector>

#include "core/figure/figure_layout.h"
#include "core/figure/ticks.h"

namespace headlight {

inline constexpr float figure_margin = 24;  // of a figure that grows around its cells; others have what they can spare
inline constexpr float title_size = 16;
inline constexpr float label_size = 12;
inline constexpr float bar_text_size = 11;
inline constexpr float tick_gap = 8;  // between a matrix and its tick labels
inline constexpr float bar_gap = 16;  // between a matrix and its colour bar
inline constexpr float bar_width = 12;
inline constexpr float swatch_size = 14;
inline constexpr float swatch_gap = 6;  // to its text
inline constexpr float legend_line = 24;
inline constexpr float legend_gap = 24;  // between entries
inline constexpr float strip_height = 3;

/// What a figure shows around its cells; small figures leave things out, the least needed first.
struct FigureDetail {
  bool subtitle = true;
  bool legend = true;
  bool words = true;  ///< axis names
  bool ticks = true;
  bool bar = true;
  bool title = true;
};

struct LegendEntry {
  CellKind kind;
  std::string text;  ///< "masked 15 of 36 (42 %)"
};

/// One colour bar's ticks, in the words of the range's mode.
std::vector<BarTick> labelled_bar(const FigureSpec& spec, ColormapKind kind, ValueRange range, float height);
/// Each panel has a bar of its own, since one would not do for all.
bool has_own_bars(const FigureSpec& spec, const std::vector<ValueRange>& ranges);

struct FigureFrame {
  FigureDetail detail;
  float margin = figure_margin;
  Index columns = 1, lines = 1;  ///< of the grid of panels
  float cell_width = 0, cell_height = 0;
  float panel_width = 0, panel_height = 0;
  AxisTicks row_ticks, col_ticks;
  float left = 0;           ///< from the content's left edge to the first matrix
  float right = 0;          ///< from the last matrix (or its own bar) to the content's right edge
  float top = 0;            ///< from the figure's top to the first matrix
  float below = 0;          ///< from the last matrix to the legend
  float panel_top = 0;      ///< title and strip over each panel
  float own_bar = 0;        ///< room right of each panel
  float gap = 0;            ///< between panels
  float bar_text = 0;       ///< the widest of the bars' labels
  float content_width = 0;  ///< axes, panels and bars
  float inner_width = 0;    ///< what titles and legend may use
  float width = 0, height = 0;
  std::vector<std::vector<LegendEntry>> legend;  ///< by line
};

FigureFrame fit_frame(const FigureSpec& spec, const std::vector<ValueRange>& ranges, ColormapKind kind,
                      Typesetter& typesetter);

}  // namespace headlight
