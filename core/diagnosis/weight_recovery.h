// Recovers the weights behind a user's outputs.
#pragma once

#include <vector>

#include "core/diagnosis/own_stages.h"
#include "core/run/trace.h"

namespace headlight {

/// [B, H, n_q, n_k], from the first of dropped_weights, weights, head_outputs, concat and output that differs from the
/// run. From outputs, each query's weights are the least-squares solution over its allowed keys; if that is not unique,
/// the run's weights with some of them dropped, as by dropout, if that fits. Undetermined rows are NaN. Undefined if no
/// such stage differs.
Tensor recover_weights(const Trace& run, const OwnStages& own);

/// The head whose outputs stand in each head's place in the user's concat or output; empty if they are in the run's
/// order, or if the numbers do not tell.
std::vector<Index> head_order(const Trace& run, const OwnStages& own);

}  // namespace headlight
