// Scores: how well each query and key agree, before bias and mask.
#pragma once

#include "core/attention/workers.h"

namespace headlight {

/// Q [B, H, n_q, d], K [B, G, n_k, d] → Q_h K_gᵀ [B, H, n_q, n_k], g = ⌊h / (H/G)⌋ (Vaswani et al. 2017, eq. 1;
/// grouped heads: Ainslie et al. 2023). H is a multiple of G.
Tensor raw_scores(const Tensor& queries, const Tensor& keys, const Workers& workers = {});

/// s → s · scale, any rank-4 shape.
Tensor scale_scores(const Tensor& scores, float scale, const Workers& workers = {});

/// s → c · tanh(s / c), c > 0 (Bello et al. 2016; Gemma 2).
Tensor cap_scores(const Tensor& scores, float cap, const Workers& workers = {});

}  // namespace headlight
