// The sentence level in the window: the scene, kept while it holds, what the pointer does in it, and the field for
// one's own words.
#pragma once

#include "ui/frame/frame.h"
#include "ui/level/scene.h"

namespace headlight {

struct SentenceStory;

/// As it was drawn last; null where it was not.
const Scene* last_sentence_scene(const Frame& frame);
/// As it is now, in `place`.
const Scene& sentence_scene(const Frame& frame, Rect place);
/// With what the pointer does in it.
void draw_sentence_view(const Frame& frame, Rect place);

/// Whether the document's error is said over the field that caused it.
bool says_error(const Frame& frame);

/// What a word is drawn by follows the pointer while its dial is held.
void drag_sampling(const Frame& frame, const Scene& scene, const SentenceStory& story);

}  // namespace headlight
