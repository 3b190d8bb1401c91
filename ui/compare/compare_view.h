// The compare view: two results and their difference.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_compare_view(const Frame& frame, Rect place);

}  // namespace headlight
