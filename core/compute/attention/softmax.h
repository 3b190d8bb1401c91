// Softmax over the keys, the treatment of rows without keys, and dropout of the weights, used only in training
// (Srivastava et al. 2014; Vaswani et al. 2017, §5.4).
#pragma once

#include "core/compute/attention/workers.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

/// scores [B, H, n_q, n_k] → e^s / (Σ_k e^s) for each row (Vaswani et al. 2017, eq. 1); the row's maximum is subtracted
/// first.
///
/// As in PyTorch, a row of −inf only becomes NaN, and a NaN or +inf in a row makes the row NaN. `sink_logits` [H], if
/// defined, adds e^sink to the sum, so that rows sum to less than one (as in GPT-OSS).
/// `mask` [B, H, n_q, n_k], if defined, determines which rows are dead: those that are false for every key. `dead_row`
/// decides their weights: from_fill keeps the softmax of the filled scores; otherwise every weight is NaN, 1/n_k, or 0.
Tensor softmax(const Tensor& scores, const Tensor& sink_logits = {}, const Tensor& mask = {},
               DeadRow dead_row = DeadRow::from_fill, const Workers& workers = {});

/// The number that is subtracted from a row's scores: the largest of them and the sink's logit (−∞ if there is none).
/// Ignores NaN, which shows up in the sum.
float row_maximum(std::span<const float> scores, float sink);
/// The sink's term in the sum of a row's exponentials.
double sink_part(float sink, float maximum);

/// Whether a row of the mask allows no key.
bool is_dead_row(const MatrixView& mask, Index q);
/// The value of each weight in a row that allows no key, for this number of keys, if the policy sets one.
float dead_weight(DeadRow policy, Index keys);

/// Which weights are kept, 1 with probability 1 − p, else 0: cell i, in row-major order, is dropped where word i mod 4
/// of philox(⌊i / 4⌋, seed) is below p, so that each cell can be computed on its own.
Tensor dropout_keep(const Shape& shape, float p, std::uint64_t seed, const Workers& workers = {});

/// weights · keep / (1 − p), all zero if p = 1. As in PyTorch, a NaN stays NaN whether it is kept or not.
Tensor drop(const Tensor& weights, const Tensor& keep, float p, const Workers& workers = {});

}  // namespace headlight
