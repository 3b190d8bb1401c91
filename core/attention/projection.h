// Linear projections of Q, K, V and the output; splitting channels into heads, mixing their values, and merging them.
#pragma once

#include "core/attention/workers.h"

namespace headlight {

/// x [B, n, in] · weightᵀ [in, out] + bias [out] → [B, n, out], nn.Linear's layout of the weight, [out, in].
/// Q_i = x W_qᵀ + b_q and so on (Vaswani et al. 2017, §3.2.2). An undefined weight stands for the identity, an
/// undefined bias for zero; without both the result is `x` itself.
Tensor project(const Tensor& x, const Tensor& weight, const Tensor& bias, const Workers& workers = {});

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
