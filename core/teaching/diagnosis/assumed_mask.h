// A mask that the run was not given and the user's code may have.
#pragma once

#include "core/teaching/diagnosis/diagnosis.h"

namespace headlight {

/// The causal mask, for stages that do not show whether they have one.
AssumedMask causal_mask(const Trace& run, const OwnStages& own, const Run& how);

}  // namespace headlight
