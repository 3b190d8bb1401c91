// Rotary position embedding (Su et al. 2021, RoFormer, eq. 34).
#pragma once

#include <vector>

#include "core/attention/workers.h"
#include "core/position/rope_waves.h"
#include "core/scenario/scenario.h"
#include "core/tensor/exact.h"

namespace headlight {

/// Which pair a channel belongs to.
struct RotaryPair {
  Index first, second;  ///< channels: a and b
  Index index;          ///< j
};

struct Rotation {
  Rope pairing = Rope::half;
  Exact<std::vector<double>> frequencies{};  ///< of pair j, radians a position
  Exact<double> gain = 1;                    ///< times cos and sin (YaRN)
  Index first_position = 0;                  ///< p₀, of row 0

  bool operator==(const Rotation&) const = default;
  /// r: the first r channels of each head turn, the others stay (as in GPT-NeoX).
  Index turned() const { return 2 * static_cast<Index>(frequencies.size()); }
  /// (2j, 2j + 1) where `interleaved`, as in the paper; (j, j + r/2) where `half`, as LLaMA's rotate_half. `channel` is
  /// below r.
  RotaryPair pair_of(Index channel) const;
  /// Pair j alone.
  RotaryPair pair(Index j) const { return pair_of(pairing == Rope::half ? j : 2 * j); }
  /// θ of pair j in a row.
  double angle(Index row, Index j) const;
};

/// [B, H, n, d] → the same shape. Row i is position p₀ + i. Each pair (a, b) turns by the angle θ = (p₀ + i) ·
/// frequency_j:
///   (a cos θ − b sin θ, a sin θ + b cos θ)
Tensor rotate(const Tensor& heads, const Rotation& rotation, const Workers& workers = {});

}  // namespace headlight
