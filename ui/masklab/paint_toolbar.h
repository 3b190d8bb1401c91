// The row above the mask: the tool in hand, what it does to a cell, and how far.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// Over the width that is left in the window, at the cursor.
void draw_paint_toolbar(const Frame& frame);
/// "painted() over it", how many cells, and a × that gives all of them back: what stands beside the expression. Gives its
/// width, 0 where nothing is painted; ends at `right`.
float draw_painted_chip(const Frame& frame, ImVec2 right);

}  // namespace headlight
