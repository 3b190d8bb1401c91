// Which fill somebody's masked scores may have.
#pragma once

#include <vector>

#include "core/diagnosis/own_stages.h"
#include "core/run/trace.h"

namespace headlight {

/// The fill that somebody's masked_scores or weights show, then the ones that people type, then the one that comes
/// closest to their outputs; each once, without the run's own. `run` has a mask.
std::vector<float> fills_to_try(const Trace& run, const OwnStages& own);

}  // namespace headlight
