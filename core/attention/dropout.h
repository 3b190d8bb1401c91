// Dropout of attention weights, in training only (Srivastava et al. 2014; where Vaswani et al. 2017 apply it, §5.4).
#pragma once

#include "core/attention/workers.h"

namespace headlight {

/// Which weights are kept, 1 with probability 1 − p, else 0: cell i, in row-major order, is dropped where word i mod 4
/// of philox(⌊i / 4⌋, seed) is below p, so that a cell's draw needs no other's.
Tensor dropout_keep(const Shape& shape, float p, std::uint64_t seed, const Workers& workers = {});

/// weights · keep / (1 − p), all zero where p = 1; a NaN stays NaN whether kept or not, as in PyTorch.
Tensor drop(const Tensor& weights, const Tensor& keep, float p, const Workers& workers = {});

}  // namespace headlight
