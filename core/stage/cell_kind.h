// What the cells of a matrix are, with what lies over it.
#pragma once

#include <cmath>
#include <optional>
#include <stop_token>

#include "core/tensor/matrix_source.h"

namespace headlight {

/// What lies over a matrix; each view, where present, has the matrix's rows and columns.
struct CellMasks {
  std::optional<MatrixView> allowed;  ///< 0 = masked: may not attend
  std::optional<MatrixView> kept;     ///< 0 = dropped by dropout
  /// A masked cell with a non-zero value is shown with its value, so that a weight that leaks through a finite fill is
  /// seen. For weights only: among scores the fill itself is not zero.
  bool show_leaks = false;
  bool any() const { return allowed || kept; }
};

/// NaN comes first (a dead row is NaN and masked), then masked, dropped, ±∞. Without `allowed`, −∞ counts as masked.
inline CellKind classify(float value, bool allowed = true, bool kept = true, bool show_leaks = false) {
  if (std::isnan(value)) return CellKind::nan;
  if (!allowed && !(show_leaks && value != 0.0f && std::isfinite(value))) return CellKind::masked;
  if (!kept) return CellKind::dropped;
  if (std::isinf(value)) return value < 0 ? CellKind::neg_inf : CellKind::pos_inf;
  return CellKind::value;
}

inline CellKind classify(const MatrixView& matrix, const CellMasks& masks, Index row, Index col) {
  return classify(matrix(row, col), !masks.allowed || (*masks.allowed)(row, col) != 0.0f,
                  !masks.kept || (*masks.kept)(row, col) != 0.0f, masks.show_leaks);
}

/// Whether all cells are finite.
bool all_finite(const MatrixView& matrix);

/// How many cells are of each kind. Throws Cancelled.
KindCounts count_kinds(const MatrixView& matrix, const CellMasks& masks = {}, const std::stop_token& stop = {});

}  // namespace headlight
