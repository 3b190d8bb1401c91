// What is looked at on each level (core/scenario/scenario_view.h): the words that are followed, the step, the next
// word.
#pragma once

#include <cstdint>
#include <optional>

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

struct LevelChoice {
  Level level = Level::pipeline;
  Stage stage = Stage::scores;  ///< that the operation level shows
  Facet facet = Facet::step;
  std::optional<Index> rival;  ///< a second key, that the first is compared with
  Guessing guessing;
  std::optional<Index> query, key;  ///< the words that are followed; unset: what is selected, else a telling pair
  std::optional<Index> feature;     ///< within a head
  std::optional<Index> pointed;     ///< the word under the pointer in the sentence
  std::optional<float> share;       ///< how far the player is in the stage, where it goes stage by stage
  std::optional<Level> before;      ///< from where a presentation came
  bool knocked = false;             ///< the prediction is shown without the head, too
  Sampling sampling;                ///< of the next word
  Index draws = 0;                  ///< next words that were drawn so far
  bool operator==(const LevelChoice&) const = default;
};

}  // namespace headlight
