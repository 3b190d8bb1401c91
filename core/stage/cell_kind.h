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
  /// A masked cell whose value is not zero is shown as the value: what a finite fill lets through the softmax, which
  /// hatching would hide. For weights; leave it off for scores, where the fill itself is not zero.
  bool show_leaks = false;
  bool any() const { return allowed || kept; }
};

/// NaN before everything (a dead row is NaN where it is masked too), then masked, then dropped, then ±∞. Without
/// `allowed`, −∞ is what a mask left behind and is drawn as such.
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

/// Whether no cell is NaN or infinite.
bool all_finite(const MatrixView& matrix);

/// How many cells are of each kind. Throws Cancelled.
KindCounts count_kinds(const MatrixView& matrix, const CellMasks& masks = {}, const std::stop_token& stop = {});

}  // namespace headlight
