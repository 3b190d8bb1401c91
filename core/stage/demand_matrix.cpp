#include "core/stage/demand_matrix.h"

namespace headlight {

DemandPart demand_part(const MatrixView& view, Index fewest_cells) {
  if (view.rows * view.cols < fewest_cells) return {};
  const DemandPlace place = demand_place(view.data);
  const auto* const whole = dynamic_cast<const DemandMatrices*>(place.source);
  if (!whole || view.col_stride != 1 || view.row_stride != whole->cols()) return {};
  const Index cells = whole->rows() * whole->cols(), inside = place.offset % cells;
  return {whole, place.offset / cells, inside / whole->cols(), inside % whole->cols()};
}

}  // namespace headlight
