// What the sentence level shows besides the attention that is looked at: the heads of every layer, the prediction.
#pragma once

#include "core/network/network.h"
#include "ui/frame/frame.h"
#include "ui/sentence/sentence.h"

namespace headlight {

/// Another pass that the prediction is laid beside: the model's own, where something of a layer is changed, else
/// without the head that is looked at. One pass of a small network.
struct OtherPass {
  std::shared_ptr<const NetworkRun> run;  ///< null where there is none, or the network is too large for it
  bool without_head = false;              ///< the head is knocked out: this pass is the one that is shown
  bool beside = false;                    ///< it is not: the pass says what the head's effect would be
};
OtherPass other_pass(const Trace& trace, const View& view);

/// The word after which a prediction is shown: `word`, the one that is followed, where the network says one after each
/// word and is so small that this can be computed while one points; −1 the place where it predicts.
Index prediction_place(const Trace& trace, const View& view, Index word);
SentenceStory story_of(const Trace& trace, const View& view, Index place, const OtherPass& other);
/// The same, kept until something that it is made from changes.
const SentenceStory& sentence_story(const Frame& frame, Index place);
/// Looks at another head, of another layer where the document is a network's.
void choose_head(const Frame& frame, Index layer, Index head);
/// Writes `token`, or one that is drawn, after the word that the prediction follows, in place of what followed it.
void write_word(const Frame& frame, const SentenceStory& story, std::optional<Index> token);
/// Shows what the network says without the head that is looked at, too, or no longer.
void knock_out(const Frame& frame);

/// What a head of `file`, where it is a shipped model, was found to do, in that language; "" where nothing is known.
std::string claim_of(const std::string& file, const std::string& layer, Index head, const std::string& language);
const HeadClaim* claim_at(const std::string& file, const std::string& layer, Index head);
/// The sentence that says where the head rests, its share at {0}; null where that was not measured.
const char* rest_key(const HeadClaim& claim);
/// "62 %"
std::string percent(double share);
/// All texts of claim_of for a file, in every language: the characters that fonts must have.
std::string claims_text(const std::string& file);

}  // namespace headlight
