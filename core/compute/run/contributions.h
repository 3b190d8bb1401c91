// Contribution norms: ‖A · V_h W_o,hᵀ‖₂, the length of the vector that each key adds to each query's output through one
// head (Kobayashi et al. 2020, "Attention is Not Only a Weight"). A large weight on a small value contributes little.
#pragma once

#include <memory>

#include "core/compute/run/trace.h"

namespace headlight {

/// [B, H, n_k]: ‖v_h W_o,hᵀ‖₂ of each key for each query head; ‖v_h‖₂ without an output projection.
Tensor value_norms(const Trace& trace, int threads = 0);

/// contribution_norms, [B, H, n_q, n_k]: weights (after dropout) times value norms; zero for a knocked-out head. Throws
/// InputError if the run has no weights or values, or computes its weights as they are read.
Tensor contribution_norms(const Trace& trace, int threads = 0);

/// Whether the run has what contribution_norms() needs.
bool can_contribute(const Trace& trace);

/// The trace with contribution_norms; itself if it has them. Throws as contribution_norms().
std::shared_ptr<const Trace> with_contributions(std::shared_ptr<const Trace> trace, int threads = 0);

/// Each row divided by its sum: every key's share. A row of zeros stays zero.
Tensor row_shares(const Tensor& cells);

}  // namespace headlight
