// How attention combines over the layers of a network: averages, rollout and flow.
//
// Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers". Each layer is [n, n], the mean over its heads,
// and counts half, the residual connection the other half: A = ½ mean + ½ I, rows divided by their sum. Values, MLPs
// and norms are ignored: both methods show where information could come from, not its effect.
#pragma once

#include <span>
#include <stop_token>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// ½ weights + ½ I, every row divided by its sum. weights [n, n].
Tensor with_residual(const Tensor& weights);
/// Whether a row's sum differs from 1 by more than 0.02, so that the division is more than rounding.
bool leaves_one(const Tensor& weights);
/// A_L · … · A_1: the share of each input token in each token of the last layer; rows sum to one. `layers` starts with
/// the first layer, each [n, n]. Throws Cancelled.
Tensor attention_rollout(std::span<const Tensor> layers, std::stop_token stop = {});

/// The largest flow from a token of the last layer down to each input token, where the edge from q to k of a layer
/// carries at most A[q, k]: [n] for one query. Throws Cancelled.
Tensor attention_flow(std::span<const Tensor> layers, Index query, std::stop_token stop = {});

}  // namespace headlight
