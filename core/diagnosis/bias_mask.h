// An additive mask as a mask.
#pragma once

#include <memory>

#include "core/run/pipeline.h"

namespace headlight {

/// The run, where it has no mask but a bias from its file that hides keys (−inf, or −1e4 and less), with these as its
/// mask and the rest of the bias as it was; else the run itself. Its weights are the same.
std::shared_ptr<const Trace> with_bias_as_mask(const std::shared_ptr<const Trace>& trace, const Run& run);

}  // namespace headlight
