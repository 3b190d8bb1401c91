// What the cost sheet shows: which blocks a kernel can skip, operations, and the key/value cache. Plain data.
#pragma once

#include <array>

#include "core/mask/statistics.h"
#include "ui/masklab/sheet.h"

namespace headlight {

/// A number among others that are drawn to one scale.
struct CostBar {
  std::string label, number;
  float share = 0;       ///< of the longest
  bool present = false;  ///< what this run has
  Index value = 0;       ///< that the bar stands for: a block size, key/value heads
};

/// Columns side by side, or bars below one another, under a title.
struct CostPlot {
  std::string title;
  std::vector<CostBar> bars;
  Rect place{};
};

struct CostPicture {
  SheetWords words;
  MatrixCard matrix;   ///< its values as block_cells() gives them
  Index block = 1;     ///< in force
  BlockCounts counts;  ///< of the matrix that is looked at
  Rect settings{}, legend{};
  std::array<std::string, 3> kinds;  ///< of blocks, with their counts: skipped, full, partial
  CostPlot operations, by_block, cache;
};

/// The block size that is chosen, else the usual one for so many tokens.
Index block_in_force(const MaskLab& lab, const Dims& dims);
CostPicture make_cost_picture(const Frame& frame, Rect area);

/// The same, kept.
const CostPicture& cost_picture(const Frame& frame, Rect area);

}  // namespace headlight
