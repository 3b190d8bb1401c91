// Scores: how well each query and key agree, from their product to what the softmax is taken of.
#pragma once

#include "core/attention/sweep.h"

namespace headlight {

/// Q [B, H, n_q, d], K [B, G, n_k, d] → Q_h K_gᵀ [B, H, n_q, n_k], g = ⌊h / (H/G)⌋ (Vaswani et al. 2017, eq. 1;
/// grouped heads: Ainslie et al. 2023). H is a multiple of G.
Tensor raw_scores(const Tensor& queries, const Tensor& keys, const Workers& workers = {});

/// s → s · scale, any rank-4 shape.
Tensor scale_scores(const Tensor& scores, const ScaleParameters& parameters, const Workers& workers = {});

/// s → c · tanh(s / c), c > 0 (Bello et al. 2016; Gemma 2).
Tensor cap_scores(const Tensor& scores, const CapParameters& parameters, const Workers& workers = {});

/// scores [B, H, n_q, n_k] + Σ by_distance[h, k − q + n_q − 1] + bias[b, h, q, k].
Tensor add_biases(const Tensor& scores, const BiasParameters& parameters, const Workers& workers = {});

/// scores where mask, else the fill: [B, H, n_q, n_k]. As torch.where, so that a NaN under the mask is gone; with
/// MaskMode::add scores + fill, where it stays.
Tensor apply_mask(const Tensor& scores, const Tensor& mask, const FillParameters& parameters,
                  const Workers& workers = {});

}  // namespace headlight
