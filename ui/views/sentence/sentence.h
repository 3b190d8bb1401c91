// The sentence level as a Scene: the words in a line, and the attention of one of them. Arcs above the words are its
// weights; below each word stands its weight as a bar with a number. The heads of all layers are at the left, the
// predicted next words at the right.
#pragma once

#include <string>
#include <vector>

#include "core/compute/network/sampling.h"
#include "core/compute/network/shipped_models.h"
#include "ui/base/frame/frame.h"
#include "ui/parts/scene/pen.h"
#include "ui/parts/scene/scene.h"
#include "ui/views/sentence/patch_picture.h"

namespace headlight {

struct TokenBatch;

/// A head in the list at the left.
struct RailHead {
  Index layer = 0, head = 0;
  Tensor weights;     ///< [B, H, n_q, n_k]
  Tensor mask;        ///< undefined without a mask
  std::string claim;  ///< what it does; "" if unknown
  bool chosen = false, silent = false;
  std::string brief = {};  ///< the same in few words; "" if there are none
};
struct RailLayer {
  std::string name;  ///< "1", "decoder.3"
  std::vector<RailHead> heads;
  bool answers = false;              ///< its queries are the asked words, with all their weights
  const TokenBatch* keys = nullptr;  ///< its keys, if they are not the trace's
};

/// Where a head looks from a word: at a key, with this weight.
struct HeadLook {
  Index key = 0;
  float weight = 0;
  std::string word;  ///< the key's
};
/// At the largest weight, or at `key`; unset if the layer does not say.
std::optional<HeadLook> look_of(const SceneContext& context, const RailLayer& layer, const RailHead& head, Index query,
                                std::optional<Index> key);

/// A candidate for the next word.
struct Guess {
  std::string word;
  Index token = 0;
  double probability = 0;
  double before = -1;  ///< the probability without the change: with all heads if one is knocked out; of the model
                       ///< itself if a layer was changed; without temperature, top-k and top-p otherwise; −1: equal
};

/// The prediction without the current head.
struct Unless {
  std::string head;  ///< "1.0"; "" if unknown
  std::string word;
  double probability = 0;
  bool other = false;  ///< the most probable word is another one
};

/// What was changed in a layer of a trained model, and its effect on the prediction.
struct ChangedLayer {
  std::vector<std::pair<std::string, std::string>> settings;  ///< key and value
  std::string layer;
  Index heads = 0, heads_before = 0;
  std::string before, after;  ///< the most probable next word of the model and of the changed one; "" if unknown
  double probability_before = 0, probability_after = 0;
};

/// The head that gives most of a word's attention to another word, and its effect on the prediction.
struct Sought {
  Index layer = 0, head = 0;
  std::string name, next;  ///< "1.0"; the most probable next word, "" if nothing is predicted
  float weight = 0;
  double probability = 0, without = 0;  ///< of that word, with all heads and without this one
};

/// The sentence level's content besides the attention itself.
struct SentenceStory {
  std::optional<PatchPicture> picture;  ///< for a network of pictures, instead of words
  std::vector<RailLayer> rail;
  std::vector<Guess> next;           ///< most probable first
  std::string next_after;            ///< the word before them
  const HeadClaim* claim = nullptr;  ///< the measured effect of the chosen head, if known
  Unless unless;
  std::optional<ChangedLayer> changed;
  std::optional<Sought> sought;  ///< for LevelChoice::at
  std::string silent;            ///< knocked-out heads, "1.0, 1.3"
  std::string changed_layer;     ///< the changed layer, if its prediction is compared with the model's own, "1"
  bool writes = false;           ///< a next word can be drawn and appended after word `next_at`
  Index next_at = 0;
  Sampling sampling;           ///< how it is drawn
  std::vector<double> shares;  ///< probability of each token
  bool network = false, can_knock = false;
  std::string mask;                   ///< the user's mask; "": that of the source
  bool takes_words = false;           ///< the sentence can be edited
  std::vector<std::string> squashed;  ///< of a picture whose sides' ratio changed: width and height before and after
  bool random_weights = false;
};

/// The followed query: under the pointer, else the focus.
Index asking_word(const Trace& trace, const View& view);

/// Whether the query may attend to this key, so that guessing its weight makes sense.
bool may_be_guessed(const Trace& trace, const View& view, Index key);

/// `place`: the canvas, in screen pixels.
Scene make_sentence(const SceneContext& context, const SentenceStory& story, Rect place);

/// In the picture cache, one for each word that asks.
struct SentenceScene {
  Scene scene;
};
/// The scene as it was drawn last; null if it was not.
const Scene* last_sentence_scene(const Frame& frame);
/// The current one, in `place`, cached.
const Scene& sentence_scene(const Frame& frame, Rect place);
/// Draws it with its text field, and handles the pointer.
void draw_sentence_view(const Frame& frame, Rect place);

/// Whether the document's error is shown above the text field that caused it.
bool says_error(const Frame& frame);

/// Moves a sampling slider while it is held.
void drag_sampling(const Frame& frame, const SentenceStory& story);

}  // namespace headlight
