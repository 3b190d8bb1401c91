// What is looked at on each level (core/scenario/scenario_view.h): the words that are followed, the step, the next
// word.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/network/sampling.h"
#include "core/scenario/scenario_view.h"
#include "core/stage/stage.h"
#include "core/tensor/tensor.h"

namespace headlight {

inline constexpr float hottest_sampling = 2;

/// A number that is hidden until it is guessed.
struct Guessing {
  bool asked = false;
  std::optional<float> guess;  ///< once there is one, the number is shown beside it
  bool operator==(const Guessing&) const = default;
};

/// Scores of one row that are tried in its softmax; the document's numbers stay as they are.
struct ScoreTrial {
  Index batch = 0, head = 0, query = 0;
  /// What is added to a score before the scale, by key; n_k: the sink.
  std::vector<std::pair<Index, float>> added;
  bool operator==(const ScoreTrial&) const = default;
};

struct LevelChoice {
  Level level = Level::pipeline;
  Stage stage = Stage::scores;  ///< that the operation level shows
  Facet facet = Facet::step;
  std::optional<Index> rival;  ///< a second key, that the first is compared with; of next words, the token looked at
  std::optional<Index> than;   ///< the token whose logit is taken from that of `rival`; unset: none
  Guessing guessing;
  std::optional<Index> query, key;  ///< the words that are followed; unset: what is selected, else a telling pair
  std::optional<Index> feature;     ///< within a head
  std::optional<Index> pointed;     ///< the word under the pointer in the sentence
  std::optional<float> share;       ///< how far the player is in the stage, where it goes stage by stage
  std::optional<float> arrival;     ///< how far the way from the scene before has come; unset: the clock says
  std::optional<Level> before;      ///< from where a presentation came
  bool knocked = false;             ///< the prediction is shown without the head, too
  Sampling sampling;                ///< of the next word
  Index draws = 0;                  ///< next words that were drawn so far
  std::optional<ScoreTrial> trial;
  float opacity = 0.6F;   ///< of the colours over a picture
  bool held = false;      ///< a patch was clicked: it asks, and the pointer reads numbers
  bool unfolded = false;  ///< what a picture keeps folded stands open
  bool operator==(const LevelChoice&) const = default;
};

}  // namespace headlight
