// Reads a matrix in memory once: its smallest and largest value, and the number of cells of each kind.
#pragma once

#include <limits>
#include <stop_token>

#include "core/stage/cell_kind.h"

namespace headlight {

struct Survey {
  /// Of values: finite, not masked, not dropped. low > high if there are none.
  float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
  KindCounts kinds{};
  void join(const Survey& other);
};

/// Uses all threads for large matrices. Throws Cancelled.
Survey survey(const MatrixView& matrix, const CellMasks& masks = {}, const std::stop_token& stop = {});

}  // namespace headlight
