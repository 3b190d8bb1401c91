// Tensors of a checkpoint in the form that layers use: weights, norms, tables of relative positions, masks.
#pragma once

#include "core/compute/network/layers.h"
#include "core/models/architecture/checkpoint.h"
#include "core/models/architecture/network_spec.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {

/// weight [out, in], possibly a view with other strides; undefined if there is none.
struct Linear {
  Tensor weight, bias;
};

/// `stored` is the weight as stored in the checkpoint, if it is already loaded: several weights can be parts of one.
Linear read_linear(const Checkpoint& checkpoint, const LinearSpec& spec, Tensor stored = {});
/// One row of it, [1, in] and [1]; reads nothing else of the table if its rows are contiguous.
Linear read_row(const Checkpoint& checkpoint, const LinearSpec& spec, Index row);
/// W_k [H · (rotated + plain), rank + rotated] of latent attention, for inputs [c; r]: for each head, the identity on
/// r, then its rows of kv_up on c. And W_v [H · value, rank].
struct LatentWeights {
  Tensor keys, values;
};
LatentWeights read_latent(const Checkpoint& checkpoint, const LatentSpec& spec, Index heads);
Norm read_norm(const Checkpoint& checkpoint, const NormSpec& spec);

/// DeBERTa's c2p and p2c times the scale, [B, H, n, n], from queries and keys [B, H, n, d] and those of the relative
/// positions [1, H, 2 · span, d].
struct PlacesTerms {
  Tensor to_place, from_place;
};
PlacesTerms places_terms(const PlacesSpec& spec, const Tensor& queries, const Tensor& keys, const Tensor& place_queries,
                         const Tensor& place_keys, double scale);

/// Fills in.file_mask, in.fill and in.attn_bias from the arrays of spec.masks: "…padding…" is [B, n_k], others [n_q,
/// n_k] or [B·H, n_q, n_k]. Boolean: true = may not attend. Floating: added to the scores; if it has only 0 and numbers
/// of at most −1e4, a mask with that fill. Throws FileError for other shapes and numbers.
void add_torch_masks(const Checkpoint& file, const AttentionSpec& spec, Inputs& in);

}  // namespace headlight
