// Pointer tools of a presentation: a large ring around the pointer, and lines drawn on the picture with mouse or pen,
// which disappear at the next step.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// Does nothing outside a presentation. `held`: the pressed object is being dragged, so no line is drawn.
void draw_pointer_tools(const Frame& frame, Rect place, Stage stage, bool held);

}  // namespace headlight
