// The next word, after the last layer: the last norm, a product with each word's row, sampling, and the word in the
// sentence.
#pragma once

#include <string>
#include <vector>

#include "core/compute/network/row_parts.h"
#include "ui/parts/scene/pen.h"
#include "ui/views/sentence/story.h"

namespace headlight {

/// A word with its logit and probability.
struct NextCandidate {
  std::string word;
  Index token = 0;
  float logit = 0, tempered = 0;  ///< tempered: divided by the sampling temperature
  bool in_top_k = true, in_top_p = true;
  double probability = 0;
};

struct NextWords {
  std::vector<NextCandidate> candidates;  ///< in descending order of their logits
  Index others = 0;
  double others_probability = 0;
  std::vector<std::string> sentence;  ///< up to the word that they follow
  Index place = 0;                    ///< of the word that they follow
  Index chosen = 0;                   ///< of the candidates: the one that is looked at
  LogitProduct product;               ///< its logit
};

/// At a place of its words, −1 the one where it predicts; `token` is the one that is looked at, else the likeliest.
NextWords next_words(const Trace& trace, const View& view, const SentenceStory& story, const OtherPass& other,
                     Index place, std::optional<Index> token);
Scene make_next(const SceneContext& context, const NextWords& next, const SentenceStory& story, Rect place);

}  // namespace headlight
