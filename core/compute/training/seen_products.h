// The products of one head's cells [n, n], of which only those are computed that its mask lets through. `packed` is
// room for packed_room(max(n, d)) floats (linear.h). Nothing is allocated but by seen_blocks().
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// Neighbouring rows of cells, and the columns [from, until) outside of which none of them sees anything.
struct SeenBlock {
  Index first, count;
  Index from, until;
};

/// The blocks of cells [n, n], in which `sees(row, column)`.
std::vector<SeenBlock> seen_blocks(Index n, const std::function<bool(Index, Index)>& sees);

/// cells [n, n] = a bᵀ, a and b [n, d]. Cells outside of the blocks are 0, or their product.
void seen_scores(std::span<const SeenBlock> blocks, const float* a, Index a_stride, const float* b, Index b_stride,
                 Index n, Index d, float* cells, float* packed);

/// to [n, d] = cells · b, or += if `add`; b [n, d]. Cells outside of the blocks do not count.
void seen_sums(std::span<const SeenBlock> blocks, const float* cells, const float* b, Index b_stride, Index n, Index d,
               float* to, Index to_stride, bool add, float* packed);

/// to [n, d] = cellsᵀ · b, or += if `add`; the blocks are those of cellsᵀ.
void seen_sums_across(std::span<const SeenBlock> blocks, const float* cells, const float* b, Index b_stride, Index n,
                      Index d, float* to, Index to_stride, bool add, float* packed);

}  // namespace headlight
