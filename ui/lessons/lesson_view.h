// The lessons view: all lessons, to open with a click.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_lesson_view(const Frame& frame, Rect place);

}  // namespace headlight
