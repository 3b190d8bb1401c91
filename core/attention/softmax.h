// Softmax over the keys, and what becomes of a row that has none.
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

}  // namespace headlight
