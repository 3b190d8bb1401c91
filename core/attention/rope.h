// Rotary position embedding (Su et al. 2021, RoFormer, eq. 34).
#pragma once

#include "core/attention/workers.h"
#include "core/scenario/scenario.h"

namespace headlight {

/// [B, H, n, d] → the same shape, d even. Row i is position i, for queries and keys alike, also where n_q ≠ n_k.
/// Each pair (a, b) of channels turns by the angle θ = i · base^(−2j/d), j = 0 … d/2 − 1:
///   (a cos θ − b sin θ, a sin θ + b cos θ)
/// The pair is (2j, 2j + 1) where `interleaved`, as in the paper; (j, j + d/2) where `half`, as LLaMA's rotate_half.
Tensor rotate(const Tensor& heads, Rope pairing, float base, const Workers& workers = {});

/// The same at these frequencies, radians a position, of the first 2·size channels; the others stay as they are. `gain`
/// multiplies cos and sin.
Tensor rotate(const Tensor& heads, Rope pairing, std::span<const double> frequencies, double gain, const Workers& workers = {});

}  // namespace headlight
