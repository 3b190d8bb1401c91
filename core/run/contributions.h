// What attention brings: ‖A · V_h W_o,hᵀ‖₂, how long the vector is that each key adds to each query's output through
// one head (Kobayashi et al. 2020, "Attention is Not Only a Weight"). A large weight on a small value brings little.
#pragma once

#include <memory>

#include "core/run/trace.h"

namespace headlight {

/// [B, H, n_k]: ‖v_h W_o,hᵀ‖₂ of each key for each query head; ‖v_h‖₂ where there is no output projection.
Tensor value_norms(const Trace& trace, int threads = 0);

/// contribution_norms, [B, H, n_q, n_k]: the weights, after dropout, times the value norms; zero of a head that is
/// knocked out. Throws InputError where the run has no weights or no values, or computes its weights as they are read.
Tensor contribution_norms(const Trace& trace, int threads = 0);

/// Whether contribution_norms() has what it is made from.
bool can_contribute(const Trace& trace);

/// The trace with contribution_norms; itself where it has them. Throws as contribution_norms().
std::shared_ptr<const Trace> with_contributions(std::shared_ptr<const Trace> trace, int threads = 0);

/// Every row divided by its sum: the share of each key in what a head brings. A row of zeros stays one.
Tensor row_shares(const Tensor& cells);

}  // namespace headlight
