// What the sentence level tells besides the attention that is looked at: the heads of every layer, the prediction.
#pragma once

#include "ui/frame/frame.h"
#include "ui/sentence/sentence.h"

namespace headlight {

SentenceStory story_of(const Frame& frame);
/// Looks at another head, of another layer where the document is a network's.
void choose_head(const Frame& frame, Index layer, Index head);
/// Shows what the network says without the head that is looked at, too, or no longer.
void knock_out(const Frame& frame);

/// Every character that the habits of the heads of `file` are written with, in any language.
std::string habits_text(const std::string& file);

}  // namespace headlight
