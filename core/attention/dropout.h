// Dropout of attention weights, in training only (Srivastava et al. 2014; where Vaswani et al. 2017 apply it, §5.4).
#pragma once

#include "core/attention/workers.h"

namespace headlight {

/// Which weights are kept, 1 with probability 1 − p, else 0, drawn in row-major order from our own sampler.
Tensor dropout_keep(const Shape& shape, float p, std::uint64_t seed);

/// weights · keep / (1 − p), all zero where p = 1; a NaN stays NaN whether kept or not, as in PyTorch.
Tensor drop(const Tensor& weights, const Tensor& keep, float p, const Workers& workers = {});

}  // namespace headlight
