// Numbers in the cells of a heatmap.
#pragma once

#include "ui/matrix/heatmap.h"
#include "ui/timeline/timeline.h"

namespace headlight {

/// Pixels of a cell where the heatmap fills `rect`.
inline ImVec2 cell_size(const HeatPicture& heat, const Rect& rect) {
  return {rect.width() / static_cast<float>(heat.cols), rect.height() / static_cast<float>(heat.rows)};
}

/// Into the cells in sight that are `shown`, in ink that can be read on each one's colour, with as many digits as fit:
/// all of them or, where one would not fit, none. What is no number has its mark. `squeeze`: long ones in smaller type
/// than cells of this size have otherwise.
void write_numbers(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, const Shown& shown,
                   bool squeeze = false);

}  // namespace headlight
