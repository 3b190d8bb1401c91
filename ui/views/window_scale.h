// Scaling of the canvas in large windows.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// The factor for views whose type does not follow their size: 1 up to 1600 × 900.
float room_scale(ImVec2 window, float scale);
/// The frame with larger points in a large window; unchanged in a presentation, which is scaled already.
Frame scaled_to_window(const Frame& frame);

}  // namespace headlight
