// Draws one heatmap: the matrix, numbers in its cells, highlights and labels.
#pragma once

#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/base/timeline/timeline.h"
#include "ui/parts/matrix/heat.h"

namespace headlight {

/// Draws the matrix into `rect` (screen pixels), as far as it is computed. `numbers`: also writes values into cells
/// that are large enough.
void draw_heat(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, bool numbers,
               const Shown& shown);
/// Frames the selected cell and the one under the pointer, which look different, if they belong to this stage; else,
/// with a thin line, the row or column of the same token (query 3 is query 3 in every matrix). `every_head`: also where
/// they are another head's.
void draw_highlights(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, bool every_head = false);
/// A colour bar from lowest to highest; nothing if there is too little room.
void draw_colour_bar(ImDrawList& list, Rect bar, const Colormap& map);
/// Row labels (left) and column labels (below, horizontal or at 45°). If they would touch, round indices instead. The
/// matrix fills `rect` but may only be visible in `seen`: labels stand beside that, for cells whose centres are
/// visible. `every_head`: also the row and column of another head's cell are highlighted.
void draw_labels(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, Rect seen, float pixels,
                 bool every_head = false);

/// Whether a label is drawn when every so many are: the highlighted one hides those less than `apart` cells away, and
/// after it the asked word's, which is the last to go. −1: none is highlighted, none is asked.
bool has_label(Index i, Index every, Index lit, Index asked, float apart);

/// The full label at a point, if the heatmap fills `rect`, with type of `pixels`; null if there is none.
const std::string* label_at(const HeatPicture& heat, const Rect& rect, ImVec2 point, float pixels);

/// The size of a cell if the heatmap fills `rect`.
inline ImVec2 cell_size(const HeatPicture& heat, const Rect& rect) {
  return {rect.width() / static_cast<float>(heat.cols), rect.height() / static_cast<float>(heat.rows)};
}

/// The rectangle of a block of cells if the heatmap fills `rect`.
inline Rect cells_rect(const HeatPicture& heat, const Rect& rect, Index row, Index rows, Index col, Index cols) {
  const auto [w, h] = cell_size(heat, rect);
  return {{rect.min.x + static_cast<float>(col) * w, rect.min.y + static_cast<float>(row) * h},
          {rect.min.x + static_cast<float>(col + cols) * w, rect.min.y + static_cast<float>(row + rows) * h}};
}

/// Which of `count` cells of this size, the first of which begins at `from`, are between `lo` and `hi`: [first, last).
std::pair<Index, Index> indices_between(float from, float size, Index count, float lo, float hi);

/// Writes the numbers into the visible, computed cells, in a colour that contrasts with the cell, with as many digits
/// as fit in all of them; none if one does not fit. NaN and −∞ have their marks. `squeeze`: uses smaller type for long
/// numbers.
void write_numbers(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, const Shown& shown,
                   bool squeeze = false);

}  // namespace headlight
