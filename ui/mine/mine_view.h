// The compare view: the user's own stages beside the right ones if there are any, else two results A and B.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_mine_or_compare_view(const Frame& frame, Rect place);

}  // namespace headlight
