// Biases added to the scores: by distance (core/position/relative_bias.h), or as they stand in a file.
#pragma once

#include <vector>

#include "core/attention/workers.h"

namespace headlight {

/// scores [B, H, n_q, n_k] + Σ by_distance[h, k − q + n_q − 1] + bias[b, h, q, k]. `bias` is broadcast by NumPy's rule;
/// it may be undefined and `by_distance` empty.
Tensor add_biases(const Tensor& scores, const std::vector<Tensor>& by_distance, const Tensor& bias,
                  const Workers& workers = {});

}  // namespace headlight
