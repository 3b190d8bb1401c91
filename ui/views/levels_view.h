// The first view, at the chosen level: sentence, pipeline or operation.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_levels_view(const Frame& frame, Rect place);

}  // namespace headlight
