// Workers: spreads the blocks of one stage over threads.
#pragma once

#include <functional>
#include <stop_token>

#include "core/base/tensor/tensor.h"

namespace headlight {

struct Workers {
  int threads = 1;
  std::stop_token stop;
  std::function<void(double share)> progress;  ///< called on the calling thread only, share of the blocks 0…1

  /// Runs body(0) … body(blocks − 1), each once, in any order and on any thread; returns when all are done. `cost` is
  /// the total work in floating-point operations; a small amount of work stays on the calling thread. Blocks must be
  /// cut by shape alone, never by the number of threads, so that the numbers do not depend on it. Throws Cancelled when
  /// the stop token asks for it, and whatever `body` throws.
  void run(Index blocks, double cost, const std::function<void(Index block)>& body) const;
};

/// Builds a [B, H, n_q, n] tensor row by row: write(b, h, q, row) fills `row`, n numbers. `cost_per_cell` in
/// operations.
Tensor by_rows(const Shape& shape, double cost_per_cell, const Workers& workers,
               const std::function<void(Index b, Index h, Index q, std::span<float> row)>& write);

/// Row q of a tensor at (b, h); asserts that it is contiguous.
std::span<const float> row_of(const Tensor& tensor, Index b, Index h, Index q);

}  // namespace headlight
