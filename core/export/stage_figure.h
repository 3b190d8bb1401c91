// A stage of a trace as a figure, with the words, ticks, colours and hatching that belong to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/files/array_write.h"
#include "core/run/masks_over.h"

namespace headlight {

/// What of a trace is drawn or written: a stage or parameter that it has, at one batch entry, for some heads.
struct StageCut {
  const Trace& trace;
  Stage stage;
  Index batch = 0;
  std::vector<Index> heads = {0};  ///< {0} for a stage without a head axis
  bool grid = false;               ///< drawn as a grid and written as [heads, rows, cols], even of one head

  const Tensor& tensor() const { return trace[stage]; }
};

/// All heads of a stage as a grid; just the matrix where it has no head axis.
StageCut all_heads(const Trace& trace, Stage stage, Index batch = 0);

struct StageFigureStyle {
  Theme theme = Theme::light;
  std::string colormap;              ///< by name; empty: the stage's own
  RangeSetting range;                ///< over a row, a head, all of the stage, or fixed
  std::optional<std::string> title;  ///< unset: the stage's name
  std::optional<std::string> row_label, col_label;  ///< unset: the axes' names
  bool tokens = true;                ///< at the ticks, where there are tokens; else indices
  bool bar = true;                   ///< the colour bar
  bool values = false, bare = false, transparent = false;
  std::optional<float> cell;
  std::optional<FigureSize> size;
  float scale = 1;  ///< pixels to a unit of 1/96 inch
  bool operator==(const StageFigureStyle&) const = default;
};

/// `cut.trace` must live until the figure is drawn. Throws SettingError for an unknown colour map.
FigureSpec stage_figure(const StageCut& cut, const StageFigureStyle& style);

/// The numbers of a cut: [rows, cols], [channels] for a bias, or [heads, rows, cols] for a grid.
NamedArray stage_array(const StageCut& cut);

}  // namespace headlight
