// The row above the mask: the tool in hand, what it does to a cell, and how far.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// From the cursor on, between the sides of `room`, in as many lines as it takes; gives their height.
float draw_paint_toolbar(const Frame& frame, Rect room);
/// "painted() over it", how many cells, and a × that gives all of them back: what stands beside the expression. Gives
/// its width, 0 where nothing is painted; ends at `right`.
float draw_painted_chip(const Frame& frame, ImVec2 right);

}  // namespace headlight
