// The heads view: one stage of all heads side by side.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_heads_view(const Frame& frame, Rect place);

}  // namespace headlight
