// QK-norm: queries and keys of each head normalised before their product.
#pragma once

#include "core/attention/workers.h"
#include "core/scenario/scenario.h"

namespace headlight {

inline constexpr double rms_epsilon = 1e-6;  ///< as in Qwen3, Gemma 3 and OLMo 2
inline constexpr double l2_epsilon = 1e-12;  ///< as in torch.nn.functional.normalize

/// [B, H, n, d] → the same shape, each row x over d becoming
///   rms  x / √(mean(x²) + rms_epsilon)   (Zhang & Sennrich 2019, without a learned gain)
///   l2   x / max(‖x‖₂, l2_epsilon)       (Henry et al. 2020)
Tensor normalise_heads(const Tensor& heads, QkNorm kind, const Workers& workers = {});

/// x / √(mean(x²) + epsilon) · weight over each head, weight [d]; or over all heads of a position at once, weight [H·d],
/// where `over_heads` (OLMo 2). An undefined weight is one.
Tensor normalise_heads(const Tensor& heads, const Tensor& weight, double epsilon, bool over_heads, const Workers& workers = {});

}  // namespace headlight
