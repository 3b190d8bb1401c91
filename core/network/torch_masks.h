// The masks of nn.Transformer that lie beside its weights: src_mask, tgt_key_padding_mask and their like.
#pragma once

#include "core/network/checkpoint.h"
#include "core/network/network_spec.h"
#include "core/scenario/inputs.h"

namespace headlight {

/// Fills in.file_mask, in.fill and in.bias by the arrays of spec.masks: of "…padding…" [B, n_k], else [n_q, n_k] or
/// [B·H, n_q, n_k]. Boolean: true = may not attend. Floating: added to the scores; of 0 and numbers of at most −1e4
/// alone, a mask with that fill. Throws FileError for other shapes and numbers.
void add_torch_masks(const Checkpoint& file, const AttentionSpec& spec, Inputs& in);

}  // namespace headlight
