// What can be asked of matrices that are computed as they are read (core/tensor/demand.h), besides their cells.
#pragma once

#include <span>
#include <stop_token>

#include "core/stage/cell_kind.h"
#include "core/tensor/demand.h"

namespace headlight {

/// What stands out in a block of cells: the values at its ends, neither masked nor infinite, and what else there is.
struct BlockExtremes {
  float low, high;  ///< low > high where no cell is a value
  bool nan = false, masked = false;
};

/// The last two axes are rows and columns; a matrix's number counts the others. Whoever is asked to stop throws
/// Cancelled.
class DemandMatrices : public DemandSource {
 public:
  DemandMatrices(Index rows, Index cols) : rows_(rows), cols_(cols) {}
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  /// The blocks that the cuts part a matrix into, by rows: (row_cuts.size() − 1) · (col_cuts.size() − 1) of them. Of
  /// each band of rows at most `rows_a_band` are looked at, evenly spread; 0: every one, which makes it exact.
  virtual std::vector<BlockExtremes> extremes(Index matrix, std::span<const Index> row_cuts,
                                              std::span<const Index> col_cuts, Index rows_a_band,
                                              const std::stop_token& stop = {}) const = 0;
  /// How many cells of a matrix are of each kind, where values are finite.
  virtual KindCounts kinds(Index matrix, const std::stop_token& stop = {}) const = 0;

 private:
  Index rows_, cols_;
};

/// A matrix as a part of one that is computed on demand; null where it is not, or lies otherwise than by rows, or has
/// so few cells that they are read in no time.
struct DemandPart {
  const DemandMatrices* whole = nullptr;
  Index matrix = 0, row = 0, col = 0;
  bool is_all(const MatrixView& view) const {
    return whole && view.rows == whole->rows() && view.cols == whole->cols();
  }
};
DemandPart demand_part(const MatrixView& view, Index fewest_cells = 1 << 16);

}  // namespace headlight
