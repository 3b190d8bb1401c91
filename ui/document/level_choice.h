// What each level (core/scenario/scenario_view.h) shows: the followed words, the stage, the next word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/network/sampling.h"
#include "core/scenario/scenario_view.h"
#include "core/stage/stage.h"
#include "core/tensor/tensor.h"

namespace headlight {

inline constexpr float hottest_sampling = 2;

/// A number that is hidden until the user has guessed it.
struct Guessing {
  bool asked = false;
  std::optional<float> guess;  ///< once set, the number is shown beside it
  bool operator==(const Guessing&) const = default;
};

/// Scores of one row changed for trial in its softmax; the document's numbers do not change.
struct ScoreTrial {
  Index batch = 0, head = 0, query = 0;
  /// Added to unscaled scores, by key; index n_k is the sink.
  std::vector<std::pair<Index, float>> added;
  bool operator==(const ScoreTrial&) const = default;
};

/// Two words of the text that were put in each other's place.
struct SwappedWords {
  Index first = 0, second = 0;  ///< their positions
  std::string text;             ///< with them: another text is no longer compared
  bool operator==(const SwappedWords&) const = default;
};

struct LevelChoice {
  Level level = Level::pipeline;
  Stage stage = Stage::scores;  ///< stage of the operation level
  Facet facet = Facet::step;
  std::optional<Index> rival;  ///< a second key to compare the first with; for next words, the token that is explained
  std::optional<Index> than;   ///< the token whose logit is subtracted from that of `rival`
  Guessing guessing;
  std::optional<Index> query, key;  ///< the followed words; unset: the selection, else a pair with a large weight
  std::optional<Index> feature;     ///< index within the head
  std::optional<Index> pointed;     ///< the word under the pointer in the sentence
  std::optional<float> share;       ///< how far the player is in the stage, where it goes stage by stage
  std::optional<float> arrival;     ///< how far the way from the scene before has come; unset: the clock says
  bool knocked = false;             ///< the prediction is shown without the head, too
  std::optional<SwappedWords> swapped;
  Sampling sampling;  ///< of the next word
  Index draws = 0;    ///< next words that were drawn so far
  std::optional<ScoreTrial> trial;
  float opacity = 0.6F;   ///< of the colours over a picture
  bool held = false;      ///< a patch was clicked: it asks, and the pointer reads numbers
  bool unfolded = false;  ///< what a picture keeps folded stands open
  bool operator==(const LevelChoice&) const = default;
};

}  // namespace headlight
