// The products of a linear layer and of its gradients, on the kernels of core/attention. Rows are contiguous; weights
// are [in, out]. `packed` is room for packed_room() floats. Nothing is allocated.
#pragma once

#include <algorithm>

#include "core/base/tensor/tensor.h"
#include "core/compute/attention/kernels/kernels.h"

namespace headlight {

/// Rows that a weight's gradient is summed over at a time.
inline constexpr Index slope_rows = 256;
/// Floats that the functions need for a depth of at most `depth`.
Index packed_room(Index depth);

/// Calls each(first column, columns) for every panel of a matrix of `cols` columns.
template <typename Each>
void each_panel(Index cols, Each each) {
  const Index panel = kernels().panel;
  for (Index col = 0; col < cols; col += panel) each(col, std::min(panel, cols - col));
}

/// y [rows, out] = x [rows, in] W + b, W [in, out], b [out] or null.
void linear(const float* x, Index rows, Index in, const float* W, Index out, const float* b, float* y, float* packed);

/// dx [rows, in] = dy [rows, out] Wᵀ; dx += if `add`.
///   y = x W + b:  dL/dx = dL/dy · Wᵀ  (Goodfellow et al. 2016, §6.5.6)
void linear_input_gradient(const float* dy, Index rows, Index out, const float* W, Index in, float* dx, bool add,
                           float* packed);

/// dW [in, out] = xᵀ dy, x [rows, in], dy [rows, out];  db [out] = Σ rows of dy, where db is not null.
void linear_weight_gradient(const float* x, Index rows, Index in, const float* dy, Index out, float* dW, float* db,
                            float* packed);

}  // namespace headlight
