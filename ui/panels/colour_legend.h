// What every colour of the window and of its figures means, at the end of the left panel.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// At the cursor, over the width that is left.
void draw_colour_legend(const Frame& frame);

}  // namespace headlight
