// Numbers in the cells of a heatmap.
#pragma once

#include "ui/matrix/heatmap.h"
#include "ui/timeline/timeline.h"

namespace headlight {

/// The size of a cell if the heatmap fills `rect`.
inline ImVec2 cell_size(const HeatPicture& heat, const Rect& rect) {
  return {rect.width() / static_cast<float>(heat.cols), rect.height() / static_cast<float>(heat.rows)};
}

/// Writes the numbers into the visible, computed cells, in a colour that contrasts with the cell, with as many digits
/// as fit in all of them; none if one does not fit. NaN and −∞ have their marks. `squeeze`: uses smaller type for long
/// numbers.
void write_numbers(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, const Shown& shown,
                   bool squeeze = false);

}  // namespace headlight
