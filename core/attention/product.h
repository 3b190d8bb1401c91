// The matrix product, and the views that go into it. The one door to Eigen in core/attention.
#pragma once

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

/// to = a b, [m, n] = [m, k] [k, n], in float32. Copies a or b only if neither of its strides is one.
void product(const MatrixView& a, const MatrixView& b, const MatrixTarget& to);

}  // namespace headlight
