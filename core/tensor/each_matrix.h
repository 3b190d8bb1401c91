// Visits the matrices of a tensor, one for each batch entry and head.
#pragma once

#include "core/tensor/tensor.h"

namespace headlight {

/// Calls use(matrix, b, h) with the last two axes of a tensor of two to four axes, at every (b, h).
template <typename Use>
void each_matrix(const Tensor& tensor, Use use) {
  const Index batch = tensor.rank() > 2 ? tensor.size(0) : 1, heads = tensor.rank() > 3 ? tensor.size(1) : 1;
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h) use(tensor.matrix(b, h), b, h);
  }
}

/// Whether `holds` of any of these matrices; no more are read after the first.
template <typename Holds>
bool any_matrix(const Tensor& tensor, Holds holds) {
  bool found = false;
  each_matrix(tensor, [&](const MatrixView& matrix, Index, Index) { found = found || holds(matrix); });
  return found;
}

}  // namespace headlight
