// What a mask costs and what it leaves. A mask is 0/1 floats, 1 = may attend: [n_q, n_k] or with batch and head axes.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

/// The rows that may attend to nothing.
std::vector<Index> dead_rows(const MatrixView& mask);

struct AllowedShare {
  Index allowed = 0;
  Index cells = 0;
  double share() const { return cells == 0 ? 0 : static_cast<double>(allowed) / static_cast<double>(cells); }
};
/// Over all batch entries and heads the mask has.
AllowedShare allowed_share(const Tensor& mask);

/// The mask cut into block×block tiles, smaller at the lower and right edge, as block-sparse kernels see it.
struct BlockCounts {
  Index empty = 0;  ///< nothing allowed: skipped
  Index full = 0;   ///< everything allowed: computed without looking at the mask
  Index partial = 0;
  Index skipped_cells = 0;  ///< cells in empty blocks
  Index blocks() const { return empty + full + partial; }
};
/// Over all batch entries and heads the mask has. `block` ≥ 1.
BlockCounts block_counts(const Tensor& mask, Index block);

/// What a kernel does with each cell of a [n_q, n_k] mask cut into blocks: 0 = in a block that is skipped, 1 = computed
/// in a partial block and masked, 2 = computed there and allowed, 3 = in a full block.
Tensor block_cells(const MatrixView& mask, Index block);
/// A block size that shows blocks at so many tokens: a power of two, up to 128, of which three or more go along a side.
Index usual_block(Index tokens);

/// Floating-point operations of scores (Q Kᵀ) and head outputs (weights · V): 2 · d_head each, for each cell and head.
struct AttentionFlops {
  double dense = 0;         ///< every cell computed
  double block_sparse = 0;  ///< empty blocks skipped
  double ideal = 0;         ///< allowed cells only
};
/// `mask` stands for batch · heads matrices, of which it may hold fewer where they are the same.
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
/// Throws InputError if the shapes do not broadcast to one.
MaskDifference mask_difference(const Tensor& first, const Tensor& second);

}  // namespace headlight
