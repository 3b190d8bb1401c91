// The toolbar above the mask: the tool, what it paints, and where.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// Draws it from the cursor on, wrapping within `room`; returns its height.
float draw_paint_toolbar(const Frame& frame, Rect room);
/// Draws "painted() over it", the number of painted cells, and a × that discards them, ending at `right`. Returns its
/// width, 0 if nothing is painted.
float draw_painted_chip(const Frame& frame, ImVec2 right);

}  // namespace headlight
