// Costs and counts of a mask of 0/1 floats, 1 = may attend: [n_q, n_k], or with batch and head axes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// The rows that allow no key.
std::vector<Index> dead_rows(const MatrixView& mask);

struct AllowedShare {
  Index allowed = 0;
  Index cells = 0;
  double share() const { return cells == 0 ? 0 : static_cast<double>(allowed) / static_cast<double>(cells); }
};
/// Over all batch entries and heads of the mask.
AllowedShare allowed_share(const Tensor& mask);

/// The mask cut into block × block tiles, smaller at the lower and right edges, as block-sparse kernels process it.
struct BlockCounts {
  Index empty = 0;  ///< nothing allowed: skipped
  Index full = 0;   ///< everything allowed: computed without the mask
  Index partial = 0;
  Index skipped_cells = 0;  ///< cells in empty blocks
  Index blocks() const { return empty + full + partial; }
};
/// Over all batch entries and heads of the mask. `block` ≥ 1.
BlockCounts block_counts(const Tensor& mask, Index block);

/// What a kernel does with each cell of a [n_q, n_k] mask: 0 = skipped block, 1 = masked in a partial block, 2 =
/// allowed in a partial block, 3 = in a full block.
Tensor block_cells(const MatrixView& mask, Index block);
/// A block size suitable for this number of tokens: a power of two up to 128, with at least three blocks per side.
Index usual_block(Index tokens);

/// Floating-point operations of scores (Q Kᵀ) and head outputs (weights · V): 2 · d_head each, for each cell and head.
struct AttentionFlops {
  double dense = 0;         ///< every cell is computed
  double block_sparse = 0;  ///< empty blocks are skipped
  double ideal = 0;         ///< only allowed cells
};
/// `mask` stands for batch · heads matrices; equal ones may be stored once.
AttentionFlops attention_flops(const Tensor& mask, Index batch, Index heads, Index d_head, Index block);

/// Bytes of K and V that one layer keeps for each token: 2 · G · d_head numbers (G = H: MHA; 1 < G < H: GQA; G = 1:
/// MQA).
Index kv_cache_bytes_per_token(Index kv_heads, Index d_head, Index bytes_per_number = 2);

/// Two masks, broadcast to one shape.
struct MaskDifference {
  Index only_first = 0;
  Index only_second = 0;
  Tensor cells;  ///< +1 where only the first allows, −1 where only the second does, else 0
};
/// Throws InputError if the shapes cannot be broadcast.
MaskDifference mask_difference(const Tensor& first, const Tensor& second);

// How far information travels through L layers with the same mask: boolean powers of its matrix. For self-attention
// (n_q = n_k); other shapes are an InputError for more than one layer.

/// `residual`: a token also keeps its own information, as in a transformer's residual stream.
struct ReachSettings {
  Index layers = 1;  ///< ≥ 1
  bool residual = false;
};

/// [n, n], 1 if the query after the last layer can have information of the key's token before the first: Mᴸ, or (M ∨
/// I)ᴸ with the residual.
Tensor reach(const MatrixView& mask, const ReachSettings& settings);

/// [n, n]: the first layer, up to settings.layers, after which the query can have the token's information; 0 if none.
/// Information that is lost again, without residual, still counts.
Tensor first_reach(const MatrixView& mask, const ReachSettings& settings);

/// The receptive field of one query: for each layer from the input (0) to the last, the tokens on a path to it. [layers
/// + 1][n], 1 = on a path; the first row is the query's row of reach().
std::vector<std::vector<std::uint8_t>> receptive_field(const MatrixView& mask, Index query,
                                                       const ReachSettings& settings);

}  // namespace headlight
