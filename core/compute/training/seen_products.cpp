#include "core/compute/training/seen_products.h"

#include <algorithm>

#include "core/compute/attention/kernels/kernels.h"
#include "core/compute/training/linear.h"

namespace headlight {

namespace {

/// Calls each(block, its rows of a panel of b, the panel's first column, its columns); b [n, d].
template <typename Each>
void each_block_of_panels(std::span<const SeenBlock> blocks, const float* b, Index b_stride, Index n, Index d,
                          float* packed, Each each) {
  each_panel(d, [&](Index col, Index width) {
    kernels().pack(b + col, b_stride, 1, n, width, packed);
    for (const SeenBlock& block : blocks) each(block, packed + block.from * kernels().panel, col, width);
  });
}

}  // namespace

std::vector<SeenBlock> seen_blocks(Index n, const std::function<bool(Index, Index)>& sees) {
  constexpr Index rows_a_block = 6, vector = 16;  // as the kernels' tiles have
  std::vector<SeenBlock> blocks;
  for (Index first = 0; first < n; first += rows_a_block) {
    SeenBlock block{first, std::min(rows_a_block, n - first), n, 0};
    for (Index row = first; row < first + block.count; ++row) {
      for (Index col = 0; col < n; ++col) {
        if (!sees(row, col)) continue;
        block.from = std::min(block.from, col / vector * vector);
        block.until = std::max(block.until, col + 1);
      }
    }
    block.from = std::min(block.from, block.until);
    blocks.push_back(block);
  }
  return blocks;
}

void seen_scores(std::span<const SeenBlock> blocks, const float* a, Index a_stride, const float* b, Index b_stride,
                 Index n, Index d, float* cells, float* packed) {
  const Kernels& k = kernels();
  for (const SeenBlock& block : blocks) {
    for (Index row = block.first; row < block.first + block.count; ++row) {
      std::fill_n(cells + row * n, block.from, 0.0F);
      std::fill_n(cells + row * n + block.until, n - block.until, 0.0F);
    }
  }
  each_panel(n, [&](Index col, Index width) {
    k.pack(b + col * b_stride, 1, b_stride, d, width, packed);
    for (const SeenBlock& block : blocks) {
      const Index from = std::max(col, block.from), until = std::min(col + width, block.until);
      if (from >= until) continue;
      k.multiply(a + block.first * a_stride, a_stride, packed + (from - col), block.count, until - from, d,
                 cells + block.first * n + from, n, false);
    }
  });
}

void seen_sums(std::span<const SeenBlock> blocks, const float* cells, const float* b, Index b_stride, Index n, Index d,
               float* to, Index to_stride, bool add, float* packed) {
  each_block_of_panels(
      blocks, b, b_stride, n, d, packed, [&](const SeenBlock& block, const float* rows, Index col, Index width) {
        kernels().multiply(cells + block.first * n + block.from, n, rows, block.count, width, block.until - block.from,
                           to + block.first * to_stride + col, to_stride, add);
      });
}

void seen_sums_across(std::span<const SeenBlock> blocks, const float* cells, const float* b, Index b_stride, Index n,
                      Index d, float* to, Index to_stride, bool add, float* packed) {
  each_block_of_panels(
      blocks, b, b_stride, n, d, packed, [&](const SeenBlock& block, const float* rows, Index col, Index width) {
        kernels().multiply_across(cells + block.from * n + block.first, n, rows, block.count, width,
                                  block.until - block.from, to + block.first * to_stride + col, to_stride, add);
      });
}

}  // namespace headlight
