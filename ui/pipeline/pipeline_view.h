// The pipeline view: every stage as a card on a canvas that pans (drag) and zooms (wheel, around the pointer).
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_pipeline_view(const Frame& frame, Rect place);

}  // namespace headlight
