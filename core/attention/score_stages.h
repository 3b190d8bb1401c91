// The score-shaped stages, and what the heads gather from them, as tensors whose numbers are computed when they are
// read.
#pragma once

#include "core/attention/score_source.h"

namespace headlight {

/// [B, H, n_q, n_k] of a stage from scores to weights, or of the mask; undefined where the system has no memory on
/// demand.
Tensor stage_on_demand(std::shared_ptr<const ScoreSource> source, Stage stage);
/// [B, H, n_q, d_head]
Tensor head_outputs_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head);
/// concat [B, n_q, H · d_head], or, with a weight or a bias, output = concat Wᵀ + b.
Tensor concat_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head, const Tensor& weight,
                        const Tensor& bias);

}  // namespace headlight
