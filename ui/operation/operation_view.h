// The operation level in the window: the scene, kept while it holds, and what a click in it does.
#pragma once

#include "ui/frame/frame.h"
#include "ui/level/scene.h"

namespace headlight {

/// The step that the operation level shows: the player's, else the chosen one.
Stage stage_shown(const Frame& frame);
/// Near to the words: J, the journey of the one that is followed; G, the geometry; once more, the step.
void press_facet_keys(const Frame& frame);
/// The step itself, the journey of the word that is followed, or the geometry.
View with_facet(View view, Facet facet);
/// Whether what was pressed last is dragged itself.
bool drags_in_operation(const Frame& frame, Rect place);
/// Where the next word's picture is shown and one can be written: draws and writes it; whether it was.
bool write_next_word(const Frame& frame);
/// As it was drawn last; null where it was not.
const Scene* last_operation_scene(const Frame& frame);
/// As it is now, in `place`.
const Scene& operation_scene(const Frame& frame, Rect place);
/// With what the pointer does in it.
void draw_operation_view(const Frame& frame, Rect place);

}  // namespace headlight
