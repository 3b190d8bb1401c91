// Rotary position embedding (Su et al. 2021, RoFormer, eq. 34).
#pragma once

#include "core/attention/workers.h"
#include "core/scenario/scenario.h"

namespace headlight {

struct Rotation {
  Rope pairing = Rope::half;
  float base = 10000;
  Index width = 0;           ///< r: only the first r channels of each head turn, an even number; 0: all d of them
  Index first_position = 0;  ///< p₀, of row 0

  /// r, for heads of so many channels.
  Index turned(Index d_head) const { return width == 0 ? d_head : width; }
};

/// [B, H, n, d] → the same shape. Row i is position p₀ + i. Each pair (a, b) of the first r channels turns by the angle
/// θ = (p₀ + i) · base^(−2j/r), j = 0 … r/2 − 1, the others stay (as in GPT-NeoX):
///   (a cos θ − b sin θ, a sin θ + b cos θ)
/// The pair is (2j, 2j + 1) where `interleaved`, as in the paper; (j, j + r/2) where `half`, as LLaMA's rotate_half.
Tensor rotate(const Tensor& heads, const Rotation& rotation, const Workers& workers = {});

/// Which pair a channel below r belongs to.
struct RotaryPair {
  Index first, second;  ///< channels: a and b
  Index index;          ///< j
};
RotaryPair rotary_pair(Rope pairing, Index channel, Index turned);
/// θ of pair j in a row.
double rotary_angle(const Rotation& rotation, Index turned, Index row, Index pair);

/// The same at these frequencies, radians a position, of the first 2·size channels; the others stay as they are. `gain`
/// multiplies cos and sin.
Tensor rotate(const Tensor& heads, Rope pairing, std::span<const double> frequencies, double gain, const Workers& workers = {},
              Index first_position = 0);

}  // namespace headlight
