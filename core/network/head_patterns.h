// Measuring what a head does: how much of its attention follows each pattern, on real text or on generated
// tokens.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "core/network/head_pattern.h"
#include "core/network/network.h"

namespace headlight {

/// One for each head, over all entries of the batch; `weights` [B, H, n_q, n_k]. Padding is left out. In
/// cross-attention only the entropy and the first key mean anything: pass no other tokens than the keys' and queries'
/// own. Throws Cancelled.
std::vector<HeadPatterns> head_patterns_of(const Tensor& weights, const TokenBatch& queries, const TokenBatch& keys,
                                           const std::stop_token& stop = {});
/// The same of one layer of a pass; all zero where its weights were not kept.
std::vector<HeadPatterns> head_patterns_of(const NetworkRun& run, Index layer);

}  // namespace headlight
