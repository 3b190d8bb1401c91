// The sentence level's content besides the attention: the heads of all layers, and the prediction.
#pragma once

#include "core/compute/network/network.h"
#include "ui/base/frame/frame.h"
#include "ui/views/sentence/sentence.h"

namespace headlight {

/// A second pass to compare the prediction with: the model's own if a layer was changed, else one without the current
/// head. For small networks only.
struct OtherPass {
  std::shared_ptr<const NetworkRun> run;  ///< null if there is none, or the network is too large
  bool without_head = false;              ///< the head is knocked out: this pass is the shown one
  bool beside = false;                    ///< it is not: this pass shows what its effect would be
  bool unswapped = false;                 ///< two words of the text were swapped: this pass has them as they were
};
/// Whether the text is still the one in which these words were swapped.
bool is_swapped(const Trace& trace, const View& view);
OtherPass other_pass(const Trace& trace, const View& view);
/// The same, cached.
const OtherPass& other_pass(const Frame& frame);

/// The position whose prediction is shown: `word`, if the network predicts after each word and is small enough to
/// follow the pointer; −1: the last one.
Index prediction_place(const Trace& trace, const View& view, Index word);
SentenceStory story_of(const Trace& trace, const View& view, Index place, const OtherPass& other);
/// The same, cached.
const SentenceStory& sentence_story(const Frame& frame, Index place);
/// Selects another head, in another layer if the document is a network.
void choose_head(const Frame& frame, Index layer, Index head);
/// Appends `token`, or a drawn one, after the predicted position, replacing what followed.
void write_word(const Frame& frame, const SentenceStory& story, std::optional<Index> token);
/// Switches the prediction without the current head on or off.
void knock_out(const Frame& frame);

/// What a shipped model's head does, in that language; "" if unknown. `brief`: in few words, "" where there are none.
std::string claim_of(const std::string& file, const std::string& layer, Index head, const std::string& language,
                     bool brief = false);
const HeadClaim* claim_at(const std::string& file, const std::string& layer, Index head);
/// Translation key of the sentence that says where the head rests, its share at {0}; null if not measured.
const char* rest_key(const HeadClaim& claim);
/// "62 %"
std::string percent(double share);
/// All texts of claim_of for a file in every language, for loading fonts.
std::string claims_text(const std::string& file);

}  // namespace headlight
