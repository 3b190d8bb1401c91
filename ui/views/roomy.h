// Large windows: what stands on the canvas grows with it.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// Times the usual points, for views whose own type does not follow their room, as the pipeline's does: 1 up to 1600 ×
/// 900.
float room_scale(ImVec2 window, float scale);
/// The frame with larger points where the window has the room; in a presentation, whose points have grown already, as
/// it is.
Frame roomy(const Frame& frame);

}  // namespace headlight
