#include "core/mask/statistics.h"

#include <algorithm>
#include <cassert>

#include "core/tensor/error.h"

namespace headlight {
namespace {

constexpr Index largest_usual_block = 128;  // of FlexAttention and FlashAttention

/// Calls f with each matrix of a tensor of two to four axes.
template <typename F>
void each_matrix(const Tensor& mask, F f) {
  assert(mask.rank() >= 2 && mask.rank() <= 4);
  const Index heads = mask.rank() == 4 ? mask.size(1) : 1;
  const Index batch = mask.rank() > 2 ? mask.size(0) : 1;
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h) f(mask.matrix(b, h));
  }
}

Index allowed_in(const MatrixView& mask, Index row, Index rows, Index col, Index cols) {
  Index allowed = 0;
  for (Index r = row; r < row + rows; ++r) {
    for (Index c = col; c < col + cols; ++c) allowed += mask(r, c) != 0;
  }
  return allowed;
}

Shape common_shape(const Shape& a, const Shape& b) {
  Shape result = a.size() < b.size() ? b : a;
  const Shape& shorter = a.size() < b.size() ? a : b;
  const std::size_t lead = result.size() - shorter.size();
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    if (result[lead + axis] == 1) result[lead + axis] = shorter[axis];
  }
  return result;
}

}  // namespace

std::vector<Index> dead_rows(const MatrixView& mask) {
  std::vector<Index> dead;
  for (Index row = 0; row < mask.rows; ++row) {
    if (allowed_in(mask, row, 1, 0, mask.cols) == 0) dead.push_back(row);
  }
  return dead;
}

AllowedShare allowed_share(const Tensor& mask) {
  AllowedShare result;
  each_matrix(mask, [&](const MatrixView& m) {
    result.allowed += allowed_in(m, 0, m.rows, 0, m.cols);
    result.cells += m.rows * m.cols;
  });
  return result;
}

BlockCounts block_counts(const Tensor& mask, Index block) {
  assert(block >= 1);
  BlockCounts counts;
  each_matrix(mask, [&](const MatrixView& m) {
    for (Index row = 0; row < m.rows; row += block) {
      for (Index col = 0; col < m.cols; col += block) {
        const Index rows = std::min(block, m.rows - row), cols = std::min(block, m.cols - col);
        const Index allowed = allowed_in(m, row, rows, col, cols);
        if (allowed == 0) counts.skipped_cells += rows * cols;
        ++(allowed == 0 ? counts.empty : allowed == rows * cols ? counts.full : counts.partial);
      }
    }
  });
  return counts;
}

Tensor block_cells(const MatrixView& mask, Index block) {
  assert(block >= 1);
  Buffer cells(static_cast<std::size_t>(mask.rows * mask.cols), 0);
  for (Index row = 0; row < mask.rows; row += block) {
    for (Index col = 0; col < mask.cols; col += block) {
      const Index rows = std::min(block, mask.rows - row), cols = std::min(block, mask.cols - col);
      const Index allowed = allowed_in(mask, row, rows, col, cols);
      if (allowed == 0) continue;
      for (Index r = row; r < row + rows; ++r) {
        for (Index c = col; c < col + cols; ++c) {
          cells[static_cast<std::size_t>(r * mask.cols + c)] = allowed == rows * cols ? 3.0f
                                                               : mask(r, c) != 0      ? 2.0f
                                                                                      : 1.0f;
        }
      }
    }
  }
  return Tensor({mask.rows, mask.cols}, std::move(cells));
}

Index usual_block(Index tokens) {
  Index block = 1;
  while (block < largest_usual_block && 3 * 2 * block <= tokens) block *= 2;
  return block;
}

AttentionFlops attention_flops(const Tensor& mask, Index batch, Index heads, Index d_head, Index block) {
  const AllowedShare allowed = allowed_share(mask);
  const double cells = static_cast<double>(batch * heads * mask.size(-2) * mask.size(-1));
  const double dense = cells * 4.0 * static_cast<double>(d_head);
  if (allowed.cells == 0) return {};
  const Index skipped = block_counts(mask, block).skipped_cells;
  return {dense, dense * static_cast<double>(allowed.cells - skipped) / static_cast<double>(allowed.cells),
          dense * allowed.share()};
}

Index kv_cache_bytes_per_token(Index kv_heads, Index d_head, Index bytes_per_number) {
  return 2 * kv_heads * d_head * bytes_per_number;
}

MaskDifference mask_difference(const Tensor& first, const Tensor& second) {
  const Shape shape = common_shape(first.shape(), second.shape());
  if (!broadcastable(first.shape(), shape) || !broadcastable(second.shape(), shape)) {
    throw InputError("mask",
                     Message("the masks' shapes are {0} and {1}", to_string(first.shape()), to_string(second.shape())),
                     "expected shapes that broadcast to one");
  }
  const Tensor a = first.expand(shape).contiguous(), b = second.expand(shape).contiguous();
  MaskDifference result;
  Buffer cells(static_cast<std::size_t>(a.count()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool in_first = a.values()[i] != 0, in_second = b.values()[i] != 0;
    cells[i] = static_cast<float>(in_first) - static_cast<float>(in_second);
    result.only_first += in_first && !in_second;
    result.only_second += in_second && !in_first;
  }
  result.cells = Tensor(shape, std::move(cells));
  return result;
}

}  // namespace headlight
