// Candidates for the fill value of a user's masked scores.
#pragma once

#include <vector>

#include "core/diagnosis/own_stages.h"
#include "core/run/trace.h"

namespace headlight {

/// The fill seen in their masked_scores or weights, then common ones, then the one that fits their outputs best; each
/// once, without the run's own. `run` must have a mask.
std::vector<float> fills_to_try(const Trace& run, const OwnStages& own);

}  // namespace headlight
