// Agreement of two tensors within the tolerance that PyTorch is held to.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

/// How far apart from `right` a number may be that agrees with it: 1e-5 + (1e-4 + slack) · |right|.
double tolerance(float right, float slack = 0);
/// |mine − right| ≤ tolerance(right, slack); NaN with NaN, an infinity with the same one. `slack` is what a file of
/// half precision has rounded away.
bool agree(float mine, float right, float slack = 0);

struct Agreement {
  bool agrees = true;
  double largest = 0;       ///< |mine − right|; infinite where one of them alone is infinite or NaN
  std::vector<Index> at{};  ///< where that is: the first such place
  float mine = 0, right = 0;
};

/// Both have the same shape.
Agreement agreement(const Tensor& mine, const Tensor& right, float slack = 0);
/// The same without asking where: false for tensors of different shapes.
bool all_agree(const Tensor& mine, const Tensor& right, float slack = 0);

}  // namespace headlight
