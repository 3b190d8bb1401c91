// The cost sheet as plain data: blocks that a kernel can skip, operations, and the size of the key/value cache.
#pragma once

#include <array>

#include "core/mask/statistics.h"
#include "ui/masklab/sheet.h"

namespace headlight {

/// One bar of a chart.
struct CostBar {
  std::string label, number;
  float share = 0;       ///< relative to the longest
  bool present = false;  ///< the current run's value
  Index value = 0;       ///< what it stands for: a block size, or a number of key/value heads
};

/// A chart of columns or of horizontal bars, with a title.
struct CostPlot {
  std::string title;
  std::vector<CostBar> bars;
  Rect place{};
};

struct CostPicture {
  SheetWords words;
  MatrixCard matrix;   ///< values as from block_cells()
  Index block = 1;     ///< the block side in use
  BlockCounts counts;  ///< of the current head's mask
  Rect settings{}, legend{};
  std::array<std::string, 3> kinds;  ///< labels of skipped, full and partial blocks, with their counts
  CostPlot operations, by_block, cache;
};

/// The chosen block side, else the usual one for this number of tokens.
Index block_in_force(const MaskLab& lab, const Dims& dims);

/// The same, cached.
const CostPicture& cost_picture(const Frame& frame, Rect area);

}  // namespace headlight
