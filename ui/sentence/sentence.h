// The sentence level: the words large in a line, and what one of them looks at.
//
// Arcs over the words are the shares of the word that is followed; under each word stands its share as a bar with its
// number; heads of every layer stand at the left as small named pictures, what the network says next at the right. All
// of it is plain data, a Scene.
#pragma once

#include <string>
#include <vector>

#include "core/network/sampling.h"
#include "core/network/shipped_models.h"
#include "ui/level/pen.h"
#include "ui/sentence/patch_picture.h"

namespace headlight {

/// A head as it stands in the rail.
struct RailHead {
  Index layer = 0, head = 0;
  Tensor weights;     ///< [B, H, n_q, n_k]
  Tensor mask;        ///< undefined where there is none
  std::string habit;  ///< what it does, in words; "" where nothing is known of it
  bool chosen = false, silent = false;
};
struct RailLayer {
  std::string name;  ///< "1", "decoder.3"
  std::vector<RailHead> heads;
};

/// What may come next.
struct Guess {
  std::string word;
  Index token = 0;
  double probability = 0;
  double before = -1;  ///< with every head, where one is knocked out; of the model itself, where a layer is changed;
                       ///< else, where words are drawn otherwise, as the network says it; −1: the same
};

/// The answer without the head that is looked at, beside the answer as it is.
struct Unless {
  std::string head;  ///< "1.0"; "" where nothing is known
  std::string word;
  double probability = 0;
  bool other = false;  ///< another word than as it is
};

/// What the sentence level shows besides the attention that is looked at.
struct SentenceStory {
  std::optional<PatchPicture> picture;  ///< of a network that reads pictures, in the place of words
  std::vector<RailLayer> rail;
  std::vector<Guess> next;           ///< most likely first
  std::string next_after;            ///< the word that they follow
  const HeadClaim* claim = nullptr;  ///< what the chosen head is missed for, where that is known
  Unless unless;
  std::string silent;         ///< the heads that are knocked out, "1.0, 1.3"
  std::string changed_layer;  ///< where the prediction is laid beside the model's own, "1"
  bool writes = false;        ///< a next word can be drawn and written after place `next_at` of the words
  Index next_at = 0;
  Sampling sampling;           ///< what it is drawn by
  std::vector<double> shares;  ///< of each token, what it is drawn from
  bool network = false, can_knock = false;
  bool takes_words = false;  ///< the sentence can be another
  bool random_weights = false, random_input = false;
};

/// The word that is followed: under the pointer, else the focus.
Index asking_word(const Trace& trace, const View& view);

/// Whether the word that asks may look at this one: a guess at it can be right.
bool may_be_guessed(const Trace& trace, const View& view, Index key);

/// `place` is the canvas, in pixels of the screen; `scroll` rows of words are above it.
Scene make_sentence(const SceneContext& context, const SentenceStory& story, Rect place, Index scroll = 0);

}  // namespace headlight
