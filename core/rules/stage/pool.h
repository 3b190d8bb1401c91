// Pooling: a smaller matrix whose cells are the extremes or the means of blocks.
#pragma once

#include <stop_token>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "core/rules/stage/extent.h"

namespace headlight {

struct PooledMatrix {
  Index rows = 0;
  Index cols = 0;
  Buffer values;                ///< row-major; unspecified for cells that are not values
  std::vector<CellKind> kinds;  ///< row-major

  float value(Index row, Index col) const { return values[static_cast<std::size_t>(row * cols + col)]; }
  CellKind kind(Index row, Index col) const { return kinds[static_cast<std::size_t>(row * cols + col)]; }
};

/// At most `rows` × `cols`; an axis that is already small enough keeps its length. Cell i of n covers the source's
/// cells from floor(i · length / n) up to the next one's. NaN wins over +∞, +∞ over values, among values the one
/// farthest from `centre` (the higher of two as far), and any of these over masked, −∞ and dropped cells. One pass over
/// the source. Of a matrix that is computed as it is read (core/base/tensor/matrix_source.h) at most `rows_looked_at`
/// rows are, evenly spread; 0: all of them. Throws Cancelled.
PooledMatrix pool(const MatrixView& matrix, const CellMasks& masks, Index rows, Index cols, float centre = 0,
                  Index rows_looked_at = 0, const std::stop_token& stop = {});

/// The same with blocks of `side` × `side` cells; the last ones may be smaller. At most `rows_a_band` rows of each
/// block are read; 0: all.
PooledMatrix pool_blocks(const MatrixView& matrix, const CellMasks& masks, Index side, float centre, Index rows_a_band);

/// Means of blocks, cut as by pool(). For parameters, whose extremes would all look alike. NaN if the block has a value
/// that is not finite.
PooledMatrix pool_means(const MatrixView& matrix, Index rows, Index cols);

}  // namespace headlight
