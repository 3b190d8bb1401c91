// The operation level in the window: the cached scene and its pointer handling.
#pragma once

#include "ui/frame/frame.h"
#include "ui/level/scene.h"

namespace headlight {

/// The stage shown: the player's, else the chosen one.
Stage stage_shown(const Frame& frame);
/// Keys: J shows the followed word's journey, G the geometry; pressed again, the step.
void press_facet_keys(const Frame& frame);
/// Whether the pressed object is being dragged.
bool drags_in_operation(const Frame& frame, Rect place);
/// If the next word is shown and can be drawn, draws and appends it; returns whether it did.
bool write_next_word(const Frame& frame);
/// As it was drawn last; null where it was not.
const Scene* last_operation_scene(const Frame& frame);
/// As it is now, in `place`.
const Scene& operation_scene(const Frame& frame, Rect place);
/// Draws it and handles the pointer.
void draw_operation_view(const Frame& frame, Rect place);

}  // namespace headlight
