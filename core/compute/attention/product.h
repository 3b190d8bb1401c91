// The matrix product and its operands.
#pragma once

#include "core/base/tensor/tensor.h"
#include "core/compute/attention/kernels/kernels.h"

namespace headlight {

/// A matrix to write to: rows of `cols` contiguous numbers, `row_stride` apart.
struct MatrixTarget {
  float* data = nullptr;
  Index rows = 0, cols = 0, row_stride = 0;
};

MatrixView transposed(const MatrixView& m);
/// `count` rows, from `first` on.
MatrixView row_block(const MatrixView& m, Index first, Index count);

/// to = a b, [m, n] = [m, k] [k, n], in float32. Copies operands that are not laid out as the kernels need.
void product(const MatrixView& a, const MatrixView& b, const MatrixTarget& to);

/// Length of a partial sum; partial sums are then added. This keeps long sums accurate, and independent of how a
/// product is cut.
inline constexpr Index depth_a_block = 128;

/// The right operand of products, packed as the kernels read it: panels of columns.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(Index depth, Index cols) { resize(depth, cols); }
  /// Prepares for new content; reuses its memory if it is large enough.
  void resize(Index depth, Index cols);
  Index depth() const { return depth_; }
  Index cols() const { return cols_; }
  Index panels() const { return (cols_ + kernels().panel - 1) / kernels().panel; }
  /// Packs one panel from b [depth, cols]; threads may pack different panels at once.
  void pack_panel(const MatrixView& b, Index panel);
  /// The same from rows [first, first + count) of b only.
  void pack_part(const MatrixView& b, Index panel, Index first, Index count);
  /// Whether all numbers of a panel are finite.
  bool panel_is_finite(Index panel) const;
  /// to = a · columns from `panel` on, as many as `to` has; a has contiguous rows.
  void multiply(const MatrixView& a, Index panel, const MatrixTarget& to) const;
  /// The same if a is 0 outside columns [first, end) and this matrix is finite.
  void multiply(const MatrixView& a, Index panel, Index first, Index end, const MatrixTarget& to) const;
  /// to += a · rows [first, first + a.cols); `first` is a multiple of depth_a_block.
  void add_part(const MatrixView& a, Index first, const MatrixTarget& to) const;

 private:
  Index panel_size() const { return depth_ * kernels().panel; }
  Index depth_ = 0, cols_ = 0;
  Buffer values_;
};

}  // namespace headlight
