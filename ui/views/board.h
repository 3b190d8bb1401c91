// What a teacher does with the pointer while presenting: a ring that is seen from the last row, and lines drawn on the
// picture with the mouse or a pen, gone at the next step.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// Nothing where nobody presents. `held` says that what was pressed is dragged itself, and draws no line.
void draw_board(const Frame& frame, Rect place, Stage stage, bool held);

}  // namespace headlight
