// The mask view: a row of tabs, and the chosen sheet below it.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_mask_view(const Frame& frame, Rect place);

}  // namespace headlight
