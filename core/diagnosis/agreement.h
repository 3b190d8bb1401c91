// Compares two tensors within the tolerance of agreement with PyTorch.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

/// The tolerance at a right value: 1e-5 + (1e-4 + slack) · |right|.
double tolerance(float right, float slack = 0);
/// |mine − right| ≤ tolerance(right, slack); NaN equals NaN, an infinity equals itself. `slack` is the rounding error
/// of a file in half precision.
bool agree(float mine, float right, float slack = 0);

struct Agreement {
  bool agrees = true;
  double largest = 0;       ///< |mine − right|; infinite if only one of them is infinite or NaN
  std::vector<Index> at{};  ///< the first position of the largest difference
  float mine = 0, right = 0;
};

/// Both must have the same shape.
Agreement agreement(const Tensor& mine, const Tensor& right, float slack = 0);
/// The same without the position; false for different shapes.
bool all_agree(const Tensor& mine, const Tensor& right, float slack = 0);

}  // namespace headlight
