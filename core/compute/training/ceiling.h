// The best that any network can reach which sees, for each answer, only what mask, layers and positions let through.
#pragma once

#include <optional>

#include "core/compute/training/task.h"

namespace headlight {

struct Ceiling {
  double accuracy = 1;  ///< expected share of right answers, 0…1
  Message reason;       ///< "under causal() 4 of 8 answers are not visible yet: 53 % at most"
};

/// From the mask's reach over all layers (a position sees itself, and what any head lets through) and from whether
/// positions are known: without positions and with a mask that treats all places alike, a network sees a bag of tokens.
/// An expectation over 4,000 drawn sequences. Unset for text files, where the best answer cannot be computed.
/// It is an upper bound: a network may stay below it for other reasons, such as too few layers to make a rule.
std::optional<Ceiling> training_ceiling(const TrainingSettings& settings, const TrainingData& data);

}  // namespace headlight
