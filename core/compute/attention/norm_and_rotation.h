// QK-norm and RoPE: applied to the queries and keys of each head before their product.
#pragma once

#include <vector>

#include "core/base/tensor/exact.h"
#include "core/compute/attention/workers.h"
#include "core/rules/position/rope_waves.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/settings/scenario.h"
namespace headlight {

inline constexpr double l2_epsilon = 1e-12;  ///< as in torch.nn.functional.normalize

/// How queries or keys are normalised. The learned `gain` is applied afterwards, if it is defined, then the bias. Both
/// are [d], the same for every head (Qwen3, Gemma 3), or [H·d], one row per head (Command R) or for a mean over all
/// heads of a position (OLMo 2).
struct HeadNorm {
  QkNorm kind = QkNorm::rms;
  Exact<double> epsilon = rms_epsilon;  ///< of rms and layer
  Exact<Tensor> gain{};
  bool over_all_heads = false;
  Exact<Tensor> bias{};  ///< of layer

  bool operator==(const HeadNorm&) const = default;

  /// The factor of number `channel` of a head of d numbers, and the bias that is added afterwards.
  double gain_of(Index head, Index channel, Index d) const;
  double bias_of(Index head, Index channel, Index d) const;
};

/// [B, H, n, d] → the same shape, normalised over the last axis, or over H·d:
///   rms  x / √(mean(x²) + ε) · gain      (Zhang & Sennrich 2019)
///   l2   x / max(‖x‖₂, l2_epsilon)       (Henry et al. 2020)
///   layer  (x − mean(x)) / √(var(x) + ε) · gain + bias   (Dehghani et al. 2023; timm)
Tensor normalise_heads(const Tensor& heads, const HeadNorm& norm, const Workers& workers = {});

/// What is subtracted from a row, and what it is then divided by.
struct RowNorm {
  double mean = 0, divisor = 1;
};
RowNorm norm_of_row(const Tensor& heads, const HeadNorm& norm, Index batch, Index head, Index row);

// Rotary position embedding (Su et al. 2021, RoFormer, eq. 34).

/// The pair that a channel belongs to.
struct RotaryPair {
  Index first, second;  ///< channels: a and b
  Index index;          ///< j
};

struct Rotation {
  Rope pairing = Rope::half;
  Exact<std::vector<double>> frequencies{};  ///< of pair j, radians per position
  Exact<double> gain = 1;                    ///< factor of cos and sin (YaRN)
  Index first_position = 0;                  ///< p₀, of row 0

  bool operator==(const Rotation&) const = default;
  /// r: the first r channels of each head are rotated, the others are unchanged (as in GPT-NeoX).
  Index turned() const { return 2 * static_cast<Index>(frequencies.size()); }
  /// (2j, 2j + 1) where `interleaved`, as in the paper; (j, j + r/2) where `half`, as LLaMA's rotate_half. `channel`
  /// must be less than r.
  RotaryPair pair_of(Index channel) const;
  /// The pair with index j.
  RotaryPair pair(Index j) const { return pair_of(pairing == Rope::half ? j : 2 * j); }
  /// θ of pair j in a row.
  double angle(Index row, Index j) const;
};

/// [B, H, n, d] → the same shape. Row i is position p₀ + i. Each pair (a, b) is rotated by the angle θ = (p₀ + i) ·
/// frequency_j:
///   (a cos θ − b sin θ, a sin θ + b cos θ)
Tensor rotate(const Tensor& heads, const Rotation& rotation, const Workers& workers = {});

}  // namespace headlight
