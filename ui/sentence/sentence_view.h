// The sentence level in the window: the cached scene, its pointer handling, and the text field.
#pragma once

#include "ui/frame/frame.h"
#include "ui/level/scene.h"

namespace headlight {

struct SentenceStory;

/// As it was drawn last; null where it was not.
const Scene* last_sentence_scene(const Frame& frame);
/// As it is now, in `place`.
const Scene& sentence_scene(const Frame& frame, Rect place);
/// Draws it and handles the pointer.
void draw_sentence_view(const Frame& frame, Rect place);

/// Whether the document's error is shown above the text field that caused it.
bool says_error(const Frame& frame);

/// Moves a sampling slider while it is held.
void drag_sampling(const Frame& frame, const Scene& scene, const SentenceStory& story);

}  // namespace headlight
