// The mean over heads, computed in parts so that no frame waits for it.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

class HeadsAverage {
 public:
  /// For `heads` of one batch entry of [B, H, r, c]; `mask`: 0/1, of the same shape, or undefined. Keeps its result if
  /// called with the same arguments.
  void want(const Tensor& values, const Tensor& mask, Index batch, const std::vector<Index>& heads);
  /// Frees the numbers.
  void drop();
  /// Adds at least one row, and about `numbers` numbers at most.
  void advance(Index numbers);

  bool busy() const { return values_.defined() && !mean_.defined(); }
  /// The finished part, 0…1.
  float share() const;
  /// [1, 1, r, c]; undefined while busy.
  const Tensor& mean() const { return mean_; }
  /// [1, 1, r, c], 1 where any head may attend; undefined while busy and without a mask.
  const Tensor& allowed() const { return allowed_; }

 private:
  void add_row(Index row);

  Tensor values_, mask_;
  Index batch_ = 0;
  std::vector<Index> heads_;
  Buffer sums_, any_;
  Index next_row_ = 0, rows_ = 0;
  Tensor mean_, allowed_;
};

}  // namespace headlight
