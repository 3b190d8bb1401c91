// The operation level in the window: the scene, kept while it holds, and what a click in it does.
#pragma once

#include "ui/frame/frame.h"
#include "ui/level/scene.h"

namespace headlight {

/// The step that the operation level shows: the player's, else the chosen one.
Stage stage_shown(const Frame& frame);
/// As it is now, in `place`.
const Scene& operation_scene(const Frame& frame, Rect place);
/// With what the pointer does in it.
void draw_operation_view(const Frame& frame, Rect place);

}  // namespace headlight
