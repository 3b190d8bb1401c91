// What a cell of a matrix is, and the extent and kinds of a matrix's cells.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>

#include "core/base/tensor/matrix_source.h"

namespace headlight {

/// The masks over a matrix. Each view that is set has the matrix's rows and columns.
struct CellMasks {
  std::optional<MatrixView> allowed;  ///< 0 = masked: may not attend
  std::optional<MatrixView> kept;     ///< 0 = dropped by dropout
  /// A masked cell with a non-zero value is shown with its value, so that a weight that leaks through a finite fill is
  /// seen. For weights only: among scores the fill itself is not zero.
  bool show_leaks = false;
  bool any() const { return allowed || kept; }
  /// With change(mask) in place of each mask.
  template <typename Change>
  CellMasks with_each(Change change) const {
    CellMasks out = *this;
    for (std::optional<MatrixView>* mask : {&out.allowed, &out.kept}) {
      if (*mask) *mask = change(**mask);
    }
    return out;
  }
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

/// The column of a row's largest number, the first of equal ones; `besides` is left out unless it is the only one.
Index largest_column(const MatrixView& matrix, Index row, std::optional<Index> besides = {});

/// How many cells are of each kind. Throws Cancelled.
KindCounts count_kinds(const MatrixView& matrix, const CellMasks& masks = {}, const std::stop_token& stop = {});

struct Survey;

/// The kind of a colour map.
enum class ColormapKind : std::uint8_t {
  sequential,  ///< its lowest colour is zero, or the smallest value
  diverging,   ///< its middle is zero
};

struct ValueRange {
  float lo = 0;
  float hi = 1;
  bool operator==(const ValueRange&) const = default;
};

/// The smallest and largest value (finite, not masked, not dropped); grows by add().
class Extent {
 public:
  void add(float value) {
    lo_ = value < lo_ ? value : lo_;
    hi_ = value > hi_ ? value : hi_;
  }
  /// Reads a sample of the rows if the matrix is computed as it is read. Throws Cancelled.
  void add(const MatrixView& matrix, const CellMasks& masks = {}, const std::stop_token& stop = {});
  /// Reads every cell, however long it takes.
  void add_every_cell(const MatrixView& matrix, const CellMasks& masks = {});
  void add(const Survey& survey);
  bool empty() const { return lo_ > hi_; }
  /// Diverging: symmetric about zero. Sequential: includes zero, so weights have [0, max]. Never empty: [−1, 1] or [0,
  /// 1] if there are no values or only zeros.
  ValueRange range(ColormapKind kind) const;

 private:
  float lo_ = 3.4028235e38f;
  float hi_ = -3.4028235e38f;
};

struct Survey {
  /// Of values: finite, not masked, not dropped. low > high if there are none.
  float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
  KindCounts kinds{};
  void join(const Survey& other);
};

/// Uses all threads for large matrices. Throws Cancelled.
Survey survey(const MatrixView& matrix, const CellMasks& masks = {}, const std::stop_token& stop = {});

}  // namespace headlight
