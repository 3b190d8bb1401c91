#include "core/stage/cell_kind.h"

#include <atomic>

#include "core/parallel/thread_pool.h"
#include "core/stage/extent.h"

namespace headlight {
namespace {

bool rows_finite(const MatrixView& matrix) {
  for (Index row = 0; row < matrix.rows; ++row) {
    int odd = 0;
    for (Index col = 0; col < matrix.cols; ++col) {
      const float v = matrix(row, col);
      odd |= v - v != 0;  // NaN for NaN and ±∞
    }
    if (odd != 0) return false;
  }
  return true;
}

}  // namespace

// By all threads where there is much.
bool all_finite(const MatrixView& matrix) {
  if (matrix.rows * matrix.cols < 1 << 22) return rows_finite(matrix);
  std::atomic<Index> next{0};
  std::atomic<bool> finite{true};
  constexpr Index parts = 64;
  work_together([&](bool) {
    for (Index part = next++; part < parts && finite; part = next++) {
      const Index first = part * matrix.rows / parts, end = (part + 1) * matrix.rows / parts;
      if (!rows_finite(matrix.part(first, end - first, 0, matrix.cols))) finite = false;
    }
  });
  return finite;
}

KindCounts count_kinds(const MatrixView& matrix, const CellMasks& masks, const std::stop_token& stop) {
  if (const SourcePart part = part_of_source(matrix, 1); part.source) {
    const bool all = matrix.rows == part.source->rows() && matrix.cols == part.source->cols();
    return all ? part.source->kinds(part.matrix, stop) : survey(matrix, masks, stop).kinds;
  }
  if (!matrix.source) return survey(matrix, masks, stop).kinds;
  KindCounts counts{};  // rows of what heads gather, which are numbers
  counts[static_cast<std::size_t>(CellKind::value)] = matrix.rows * matrix.cols;
  return counts;
}

}  // namespace headlight
