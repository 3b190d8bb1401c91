// A matrix made smaller: each cell of the result is the most extreme cell of its block, or its block's mean.
#pragma once

#include <stop_token>
#include <vector>

#include "core/stage/cell_kind.h"
#include "core/tensor/tensor.h"

namespace headlight {

struct PooledMatrix {
  Index rows = 0;
  Index cols = 0;
  Buffer values;                ///< row-major; what a cell that is not a value holds is unspecified
  std::vector<CellKind> kinds;  ///< row-major

  float value(Index row, Index col) const { return values[static_cast<std::size_t>(row * cols + col)]; }
  CellKind kind(Index row, Index col) const { return kinds[static_cast<std::size_t>(row * cols + col)]; }
};

/// At most `rows` × `cols`; an axis that is already small enough keeps its length. Cell i of n covers the source's
/// cells from floor(i · length / n) up to the next one's. NaN wins over +∞, +∞ over values, among values the one
/// farthest from `centre` (the higher of two as far), and any of these over masked, −∞ and dropped cells. One pass over
/// the source. Of a matrix that is computed as it is read (core/tensor/matrix_source.h) at most `rows_looked_at` rows
/// are, evenly spread; 0: all of them. Throws Cancelled.
PooledMatrix pool(const MatrixView& matrix, const CellMasks& masks, Index rows, Index cols, float centre = 0,
                  Index rows_looked_at = 0, const std::stop_token& stop = {});

/// The same with blocks of `side` cells along both axes, the last ones of what is left. At most `rows_a_band` rows of
/// each are looked at, wherever the numbers come from; 0: all of them.
PooledMatrix pool_blocks(const MatrixView& matrix, const CellMasks& masks, Index side, float centre, Index rows_a_band);

/// Each cell is the mean of its block, cut as pool() cuts them. For parameters, whose extremes would all look alike.
/// NaN where the block holds a number that is not finite.
PooledMatrix pool_means(const MatrixView& matrix, Index rows, Index cols);

}  // namespace headlight
