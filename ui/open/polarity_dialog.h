// The dialog that asks what true means in a file's boolean mask, where nothing beside it says so: both ways as
// pictures. Its question is a LayerQuestion without candidates.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_polarity_dialog(const Frame& frame, Rect place);

}  // namespace headlight
