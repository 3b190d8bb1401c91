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

/// What a head of `file`, where it is a shipped model, was found to do, in that language; "" where nothing is known.
std::string claim_of(const std::string& file, const std::string& layer, Index head, const std::string& language);
/// Every character that the habits of the heads of `file` are written with, in any language.
std::string habits_text(const std::string& file);

}  // namespace headlight
