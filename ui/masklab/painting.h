// Painting on the mask of the mask view: strokes of the pointer and keys.
#pragma once

#include "ui/frame/frame.h"
#include "ui/matrix/heat.h"

namespace headlight {

/// Where the whole mask lies on screen when it is looked at through `seen`, the place it fills at zoom 1.
Rect zoomed(const MaskPainting& painting, Rect seen);
/// The cell of `heat` under a point when it fills `rect`.
std::optional<Cell> cell_under(const HeatPicture& heat, Rect rect, ImVec2 point);

/// What a stroke from one cell to another paints, in the scope of the view.
PaintedCells stroke_area(const View& view, const Dims& dims, const Cell& from, const Cell& to, Index brush);

/// Takes the pointer over `mask`, which fills `rect` and is the last ImGui item: strokes, and zoom by the wheel.
/// True while it is painting, so that nothing else is made of the click.
bool paint_with_pointer(const Frame& frame, const HeatPicture& mask, Rect rect, Rect seen);
/// Marks what is painted already and, below the pointer, what would be.
void draw_painting(const Frame& frame, const HeatPicture& mask, Rect rect);

/// The arrows move a cell and letters paint it, while a brush is in hand in the mask view; D takes it. True where a key
/// was for painting.
bool press_painting_keys(const Frame& frame);

}  // namespace headlight
