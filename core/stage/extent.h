// The smallest and largest value of a matrix, from which the range of its colours follows.
#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>

#include "core/stage/cell_kind.h"

namespace headlight {

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
