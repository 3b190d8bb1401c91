// Lengths in the picture of one's own results, in points.
#pragma once

#include "ui/base/look/measure.h"

namespace headlight {

/// The parts of the view from above: the heading with its verdict, and the report at the bottom.
struct MineSizes {
  static constexpr float verdict = 30, heading = 64, line_above_panels = 26;
  static constexpr float report_edges = 24, report_heading = 26, search = 40, least_report = 60;
  static constexpr float least_panels = 60;
};

/// A line of code with its side before it.
struct CodeColumns {
  static constexpr float number_end = 34, code = 46;
};

/// A chip with a mark before the name of its stage.
struct MineChip {
  static constexpr float mark = 9, name = 25, pad = 38;
};

/// A panel with a matrix.
struct MineMatrix {
  static constexpr float above = 32, below = 30;
  static constexpr float largest_cell = 84, highest_row = 24, names_from = 26;
  static constexpr float mark = 2.5f, question = 26, half_question = 15;
};

}  // namespace headlight
