// The weights that somebody's values were gathered with, found from what came out.
#pragma once

#include <vector>

#include "core/diagnosis/own_stages.h"
#include "core/run/trace.h"

namespace headlight {

/// [B, H, n_q, n_k], from the first of dropped_weights, weights, head_outputs, concat and output that differs from the
/// run. From the outputs on, each query's weights solve a linear system (least squares over the keys it may attend to);
/// where that does not determine them, they are the run's with some dropped, as dropout would, if that fits. Rows that
/// tell nothing are NaN. Undefined where no such stage differs.
Tensor recover_weights(const Trace& run, const OwnStages& own);

/// Whose head outputs stand in each head's place of somebody's concat or output; empty where they stand as in the run,
/// or where the numbers do not tell.
std::vector<Index> head_order(const Trace& run, const OwnStages& own);

}  // namespace headlight
