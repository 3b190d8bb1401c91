// The view of a whole network: layers × heads, what each head does, what the layers give together.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_network_view(const Frame& frame, Rect place);

}  // namespace headlight
