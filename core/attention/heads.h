// Splitting channels into heads, mixing their values, and merging them.
#pragma once

#include "core/attention/workers.h"

namespace headlight {

/// [B, n, H·d] → [B, H, n, d]: view(B, n, H, d).transpose(1, 2). Copies nothing.
Tensor split_heads(const Tensor& channels, Index heads);
/// [B, H, n, d] → [B, n, H·d]: transpose(1, 2).view(B, n, H·d). Copies unless `heads` was split or is laid out so.
Tensor merge_heads(const Tensor& heads);

/// weights [B, H, n_q, n_k] · V_g [B, G, n_k, d] → [B, H, n_q, d], g = ⌊h / (H/G)⌋ (Vaswani et al. 2017, eq. 1).
/// Laid out in memory as [B, n_q, H, d], so that merging the heads moves no number.
Tensor gather_values(const Tensor& weights, const Tensor& values, const Workers& workers = {});
/// The same with the outputs of these heads set to zero.
Tensor silenced(const Tensor& head_outputs, std::span<const Index> heads);

}  // namespace headlight
