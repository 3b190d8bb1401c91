#include "core/stage/demand_matrix.h"

namespace headlight {

DemandPart demand_part(const MatrixView& view) {
  // No matrix that is asked about is small enough to be read in no time, and most are not on demand.
  if (view.rows * view.cols < 1 << 16) return {};
  const DemandPlace place = demand_place(view.data);
  const auto* const whole = dynamic_cast<const DemandMatrices*>(place.source);
  if (!whole || view.col_stride != 1 || view.row_stride != whole->cols()) return {};
  const Index cells = whole->rows() * whole->cols(), inside = place.offset % cells;
  return {whole, place.offset / cells, inside / whole->cols(), inside % whole->cols()};
}

}  // namespace headlight
