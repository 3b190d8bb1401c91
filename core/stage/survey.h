// Every cell of a matrix in memory, gone through once: the least and the largest value, and how many cells are what.
#pragma once

#include <limits>
#include <stop_token>

#include "core/stage/cell_kind.h"

namespace headlight {

struct Survey {
  /// Of what is a value: finite, not masked, not dropped. low > high where there is none.
  float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
  KindCounts kinds{};
  void join(const Survey& other);
};

/// By all threads where there is much. Throws Cancelled.
Survey survey(const MatrixView& matrix, const CellMasks& masks = {}, const std::stop_token& stop = {});

}  // namespace headlight
