// Measuring what a head does: how much of its attention follows each pattern.
#pragma once

#include <stop_token>

#include "core/network/network.h"

namespace headlight {

/// One for each head, over all entries of the batch; `weights` [B, H, n_q, n_k]. Padding is left out. In
/// cross-attention only the entropy and the first key mean anything: pass no other tokens than the keys' and queries'
/// own. Throws Cancelled.
std::vector<HeadPatterns> head_patterns_of(const Tensor& weights, const TokenBatch& queries, const TokenBatch& keys,
                                           const std::stop_token& stop = {});

}  // namespace headlight
