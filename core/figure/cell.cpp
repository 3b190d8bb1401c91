#include "core/figure/cell.h"

namespace headlight {

KindCounts count_kinds(const MatrixView& matrix, const CellMasks& masks) {
  KindCounts counts{};
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) ++counts[static_cast<std::size_t>(classify(matrix, masks, row, col))];
  }
  return counts;
}

}  // namespace headlight
