// Tensors of a checkpoint as layers take them: weights, norms, tables of relative positions, masks.
#pragma once

#include "core/architecture/checkpoint.h"
#include "core/architecture/network_spec.h"
#include "core/network/layers.h"
#include "core/scenario/inputs.h"

namespace headlight {

/// weight [out, in], possibly a view with other strides; undefined where there is none.
struct Linear {
  Tensor weight, bias;
};

/// `stored` is the weight as it is in the checkpoint, where it was loaded already: several may be parts of one.
Linear read_linear(const Checkpoint& checkpoint, const LinearSpec& spec, Tensor stored = {});
/// One row of it, [1, in] and [1]; nothing else of the table is read where its rows lie one after the other.
Linear read_row(const Checkpoint& checkpoint, const LinearSpec& spec, Index row);
/// W_k [H · (rotated + plain), rank + rotated] of latent attention, which takes [c; r]: of each head the identity on r,
/// then its rows of kv_up on c. And W_v [H · value, rank].
struct LatentWeights {
  Tensor keys, values;
};
LatentWeights read_latent(const Checkpoint& checkpoint, const LatentSpec& spec, Index heads);
Norm read_norm(const Checkpoint& checkpoint, const NormSpec& spec);

/// DeBERTa's c2p and p2c times the scale, [B, H, n, n] of queries and keys [B, H, n, d] and the places' own
/// [1, H, 2 · span, d].
struct PlacesTerms {
  Tensor to_place, from_place;
};
PlacesTerms places_terms(const PlacesSpec& spec, const Tensor& queries, const Tensor& keys, const Tensor& place_queries,
                         const Tensor& place_keys, double scale);

/// Fills in.file_mask, in.fill and in.bias by the arrays of spec.masks: of "…padding…" [B, n_k], else [n_q, n_k] or
/// [B·H, n_q, n_k]. Boolean: true = may not attend. Floating: added to the scores; of 0 and numbers of at most −1e4
/// alone, a mask with that fill. Throws FileError for other shapes and numbers.
void add_torch_masks(const Checkpoint& file, const AttentionSpec& spec, Inputs& in);

}  // namespace headlight
