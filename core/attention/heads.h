// Splitting channels into heads and merging them again. Both are views; no number moves.
#pragma once

#include "core/tensor/tensor.h"

namespace headlight {

/// [B, n, H·d] → [B, H, n, d]: view(B, n, H, d).transpose(1, 2).
Tensor split_heads(const Tensor& channels, Index heads);
/// [B, H, n, d] → [B, n, H·d]: transpose(1, 2).view(B, n, H·d). Copies unless `heads` was split or is laid out so.
Tensor merge_heads(const Tensor& heads);

}  // namespace headlight
