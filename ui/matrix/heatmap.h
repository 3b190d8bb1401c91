// One heatmap on screen: the painted matrix, numbers in its cells where they fit, highlights, labels.
#pragma once

#include "core/figure/ticks.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"
#include "ui/matrix/heat.h"

namespace headlight {

/// Paints the matrix into `rect` (screen pixels). `numbers` also writes values into cells that are large enough.
void draw_heat(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, bool numbers);
/// The same of numbers that are in no stage, whatever the moment of the step player.
void draw_moment_heat(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect);
/// Frames the row, column and cell that `cell` means in this heatmap: the cell itself where it is of the same stage,
/// else, thinly, its row or column wherever this matrix counts the same tokens (query 3 is query 3 everywhere).
enum class Mark { kept, pointed };
void draw_highlight(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, const Cell& cell,
                    Mark mark = Mark::kept);
/// Both that there may be: of the selected cell and of the one under the pointer, which look different.
void draw_highlights(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect);
/// A map's colours from its lowest to its highest; nothing where there is no room to tell them apart.
void draw_colour_bar(ImDrawList& list, Rect bar, const Colormap& map);
/// What the ends of a heatmap's colours stand for, in its card's upper right corner, where there is room beside the
/// title.
void draw_colour_ends(const Frame& frame, ImDrawList& list, const HeatPicture& heat, const Rect& card,
                      std::string_view title);
/// Names of rows (left of `rect`) and columns (below it, upright or at 45°). Where they would touch, indices in round
/// steps.
void draw_labels(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, float pixels, bool rows,
                 bool cols);
/// The same of a matrix that fills `rect` but is seen only in `seen`: beside and below that, of the cells whose middles
/// show.
void draw_labels_of_part(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, Rect seen,
                         float pixels);

/// The whole of the label at a point of the canvas, `pixels` of type; null where there is none.
const std::string* label_at(const HeatPicture& heat, ImVec2 point, float pixels);

/// Which of this heatmap's rows and columns a cell of any stage means; −1 for none.
struct Meaning {
  Index row = -1, col = -1;
};
Meaning meaning_in(const HeatPicture& heat, const Cell& cell);

}  // namespace headlight
