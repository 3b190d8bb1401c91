// The compare view: somebody's own stages beside the right ones where there are some, else two results of one's own.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_mine_or_compare_view(const Frame& frame, Rect place);

}  // namespace headlight
