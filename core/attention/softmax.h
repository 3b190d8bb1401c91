// Softmax over the keys, and what becomes of a row that has none; dropout of its weights, in training only (Srivastava
// et al. 2014; where Vaswani et al. 2017 apply it, §5.4).
#pragma once

#include "core/attention/workers.h"
#include "core/scenario/scenario.h"

namespace headlight {

/// scores [B, H, n_q, n_k] → e^s / (Σ_k e^s) over each row (Vaswani et al. 2017, eq. 1), the row's maximum subtracted
/// first.
///
/// As in PyTorch, a row that is all −inf is NaN, and a NaN or +inf in a row makes it NaN. `sink_logits` [H], where
/// defined, adds e^sink to the sum, so rows sum to less than one (as in GPT-OSS).
/// `mask` [B, H, n_q, n_k], where defined, tells which rows are dead: false for every key. They follow `dead_row`:
/// from_fill leaves what the above gives, else every weight is NaN, 1/n_k, or 0.
Tensor softmax(const Tensor& scores, const Tensor& sink_logits = {}, const Tensor& mask = {},
               DeadRow dead_row = DeadRow::from_fill, const Workers& workers = {});

/// What is subtracted from a row's scores first: the largest of them and of the sink's logit (−∞ where there is none).
/// A NaN is passed over: it shows up in the sum.
float row_maximum(std::span<const float> scores, float sink);
/// What the sink adds to the sum of a row's exponentials.
double sink_part(float sink, float maximum);

/// Whether a row of the mask lets no key through.
bool is_dead_row(const MatrixView& mask, Index q);
/// Every weight of a row that lets no key through, of so many keys, where a policy says so.
float dead_weight(DeadRow policy, Index keys);

/// Which weights are kept, 1 with probability 1 − p, else 0: cell i, in row-major order, is dropped where word i mod 4
/// of philox(⌊i / 4⌋, seed) is below p, so that a cell's draw needs no other's.
Tensor dropout_keep(const Shape& shape, float p, std::uint64_t seed, const Workers& workers = {});

/// weights · keep / (1 − p), all zero where p = 1; a NaN stays NaN whether kept or not, as in PyTorch.
Tensor drop(const Tensor& weights, const Tensor& keep, float p, const Workers& workers = {});

}  // namespace headlight
