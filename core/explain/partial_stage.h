// Intermediate results between a stage and its sources: a product's partial sums, a softmax in progress.
#pragma once

#include <cstdint>

#include "core/run/trace.h"

namespace headlight {

/// The number of terms of each number of a product: d_query … for Q, K, V, d_head for scores, n_k for head_outputs,
/// H·d_head for output. 0 if the stage is no product or has no weights.
Index product_terms(const Trace& trace, Stage stage);

/// Σ over the terms before `terms` of left[row, i] · right[i, col], of one batch entry and head: [rows, cols]. A bias
/// is added with the last term.
Tensor partial_product(const Trace& trace, Stage stage, Index batch, Index head, Index terms);

/// The operands of a product, and the axis of the right one along which its terms lie.
struct Operands {
  Stage left{}, right{};
  bool terms_are_rows = false;  ///< of the right one: V of head_outputs; else its columns, as W [out, in] and K_heads
};
Operands operands_of(const Trace& trace, Stage stage);

enum class SoftmaxStep : std::uint8_t { shifted, exponentials };
/// s − max over the row, or e^(s − max), of the masked (else the last) scores: [n_q, n_k]. A row of nothing but −∞ is
/// NaN.
Tensor softmax_step(const Trace& trace, Index batch, Index head, SoftmaxStep step);

}  // namespace headlight
