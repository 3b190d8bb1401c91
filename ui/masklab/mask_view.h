// The mask view: tabs and the chosen sheet below them.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_mask_view(const Frame& frame, Rect place);

}  // namespace headlight
