// Painting on the mask, with pointer and keys.
#pragma once

#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/parts/matrix/heat.h"

namespace headlight {

/// The rectangle of the whole mask on screen; `seen` is the part of the screen that shows it.
Rect zoomed(const MaskPainting& painting, Rect seen);

/// Handles the pointer over `mask`, which fills `rect` and is the last ImGui item: strokes, and zooming with the wheel.
/// Returns whether it is painting, in which case the click has no other effect.
bool paint_with_pointer(const Frame& frame, const HeatPicture& mask, Rect rect, Rect seen);
/// Marks the painted cells and, under the pointer, what a click would paint.
void draw_painting(const Frame& frame, const HeatPicture& mask, Rect rect);

/// While a brush is active in the mask view, arrows move a cell and letters paint it; D selects the brush. Returns
/// whether a key was used.
bool press_painting_keys(const Frame& frame);

/// Draws it from the cursor on, wrapping within `room`; returns its height.
float draw_paint_toolbar(const Frame& frame, Rect room);
/// Draws "painted() over it", the number of painted cells, and a × that discards them, ending at `right`. Returns its
/// width, 0 if nothing is painted.
float draw_painted_chip(const Frame& frame, ImVec2 right);

}  // namespace headlight
