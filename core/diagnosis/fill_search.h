// A leaking fill, found from what the weights gathered.
#pragma once

#include <optional>

#include "core/diagnosis/own_stages.h"
#include "core/run/trace.h"

namespace headlight {

/// The fill between −30 and 30 that comes closest to somebody's head_outputs, concat or output, the first that is
/// there, in the rows that masked keys reach; nothing without such rows, or where it lies at an end. It is for the
/// caller to see whether it gives the numbers. `run` has a mask.
std::optional<float> fill_from_outputs(const Trace& run, const OwnStages& own);

}  // namespace headlight
