// Why a word: what its logit, or the difference of two words' logits, is the sum of
// (core/compute/network/logit_parts.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compute/network/logit_parts.h"
#include "ui/parts/scene/pen.h"
#include "ui/views/sentence/story.h"

namespace headlight {

/// A word whose logit can be looked at.
struct WhyWord {
  std::string word;
  Index token = 0;
  float logit = 0;
};

struct WhyParts {
  std::vector<WhyWord> words;  ///< the largest logits first, and those that are chosen
  std::size_t chosen = 0;
  std::optional<std::size_t> than;   ///< the one whose logit is taken away
  std::vector<LogitPart> parts;      ///< in the order of the pass, without zeros; none where `missing`
  std::vector<std::string> layers;   ///< of the network, as scenarios name them
  std::vector<std::string> sources;  ///< the words that a head's sources are
  std::string here;                  ///< the word at the place
  Index place = 0, layer = 0;        ///< the layer that is looked at
  const char* missing = nullptr;     ///< key of the words that say why there are no parts
};

/// At a place of the words, −1 the one where the network predicts; `token` as NextWords has it.
WhyParts why_parts(const Trace& trace, const View& view, const OtherPass& other, Index place,
                   std::optional<Index> token, std::optional<Index> than);

/// A line of the picture: one part, or several together.
struct WhyBar {
  double value = 0;
  std::vector<std::size_t> parts;  ///< of WhyParts::parts
};
/// At most so many: first the heads of layers that are not looked at are taken together, then the smallest parts.
std::vector<WhyBar> why_bars(const WhyParts& why, std::size_t most);

Scene make_why(const SceneContext& context, const WhyParts& why, Rect place);

}  // namespace headlight
