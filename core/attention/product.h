// The matrix product, and the views that go into it.
#pragma once

#include "core/attention/kernels/kernels.h"
#include "core/tensor/tensor.h"

namespace headlight {

/// Somebody's buffer to be written: rows of `cols` numbers side by side, `row_stride` numbers apart.
struct MatrixTarget {
  float* data = nullptr;
  Index rows = 0, cols = 0, row_stride = 0;
};

MatrixView transposed(const MatrixView& m);
/// `count` rows from `first` on.
MatrixView row_block(const MatrixView& m, Index first, Index count);

/// to = a b, [m, n] = [m, k] [k, n], in float32. Copies what does not lie as the kernels need it.
void product(const MatrixView& a, const MatrixView& b, const MatrixTarget& to);

/// Numbers of one sum that are added in a row; sums of so many are then added to each other, which keeps long sums
/// exact and the numbers the same wherever a product is cut.
inline constexpr Index depth_a_block = 128;

/// The right side of products, laid out as the kernels read it: panels of columns, one after the other.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(Index depth, Index cols) { resize(depth, cols); }
  /// To be filled anew; memory is kept where it is enough.
  void resize(Index depth, Index cols);
  Index depth() const { return depth_; }
  Index cols() const { return cols_; }
  Index panels() const { return (cols_ + kernels().panel - 1) / kernels().panel; }
  /// Fills one panel from b [depth, cols]; panels may be filled by different threads.
  void pack_panel(const MatrixView& b, Index panel);
  /// The same, of rows [first, first + count) of b alone.
  void pack_part(const MatrixView& b, Index panel, Index first, Index count);
  /// Whether all of one panel is finite.
  bool panel_is_finite(Index panel) const;
  /// to = a · columns from `panel` on, as many as `to` has; a has whole rows.
  void multiply(const MatrixView& a, Index panel, const MatrixTarget& to) const;
  /// The same where a's columns outside [first, end) are known to be 0 and this matrix to be finite.
  void multiply(const MatrixView& a, Index panel, Index first, Index end, const MatrixTarget& to) const;
  /// to += a · rows [first, first + a.cols); `first` is a multiple of depth_a_block.
  void add_part(const MatrixView& a, Index first, const MatrixTarget& to) const;

 private:
  Index panel_size() const { return depth_ * kernels().panel; }
  Index depth_ = 0, cols_ = 0;
  Buffer values_;
};

}  // namespace headlight
