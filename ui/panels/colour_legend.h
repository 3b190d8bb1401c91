// The legend of all colours, at the end of the left panel.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// Draws it at the cursor, over the remaining width.
void draw_colour_legend(const Frame& frame);

}  // namespace headlight
