// Draws one heatmap: the matrix, numbers in its cells, highlights and labels.
#pragma once

#include "core/figure/ticks.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"
#include "ui/matrix/heat.h"
#include "ui/timeline/timeline.h"

namespace headlight {

/// Draws the matrix into `rect` (screen pixels). `numbers`: also writes values into cells that are large enough.
void draw_heat(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, bool numbers);
/// The same for numbers that belong to no stage, regardless of the step player.
void draw_moment_heat(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, bool numbers = true);
/// Frames the cell if it belongs to this stage; else, with a thin line, the row or column of the same token (query 3 is
/// query 3 in every matrix).
enum class Mark { kept, pointed };
void draw_highlight(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, const Cell& cell,
                    Mark mark = Mark::kept);
/// The highlights of the selected cell and of the one under the pointer, which look different. `every_head`: also where
/// they are another head's.
void draw_highlights(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, bool every_head = false);
/// A colour bar from lowest to highest; nothing if there is too little room.
void draw_colour_bar(ImDrawList& list, Rect bar, const Colormap& map);
/// Row labels (left of `rect`) and column labels (below it, horizontal or at 45°). If they would touch, round indices
/// instead.
void draw_labels(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, float pixels, bool rows,
                 bool cols);
/// The same for a matrix that fills `rect` but is only visible in `seen`: labels stand beside `seen`, for cells whose
/// centres are visible.
void draw_labels_of_part(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, Rect seen,
                         float pixels);

/// The full label at a point, if the heatmap fills `rect`, with type of `pixels`; null if there is none.
const std::string* label_at(const HeatPicture& heat, const Rect& rect, ImVec2 point, float pixels);

/// The row and column of this heatmap that correspond to a cell of any stage; −1 for none.
struct Meaning {
  Index row = -1, col = -1;
};

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
