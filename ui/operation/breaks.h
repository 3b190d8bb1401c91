// What can be taken away to see what it was good for (the mask, the division by √d, the head), under every step; beside
// it what the network then says next: before in pale, after in full.
#pragma once

#include "ui/frame/frame.h"
#include "ui/level/pen.h"
#include "ui/sentence/story.h"

namespace headlight {

/// Whether the step has room for it, and the network a next word.
bool has_breaks(const SceneContext& context, const SentenceStory& story, Rect place);
/// At the foot of `place`; gives what it leaves above.
Rect without_breaks(const SceneContext& context, Rect place);
void put_breaks(Pen& pen, const SentenceStory& story, bool can_swap, Rect place);
/// Whether the two words that are followed can take each other's place.
bool can_swap_words(const Frame& frame);
/// Takes it away, or gives it back: the index of a target of SceneAction::knock_out.
void take_away(const Frame& frame, Index which);

}  // namespace headlight
