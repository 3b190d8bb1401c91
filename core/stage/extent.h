// The smallest and largest value of a matrix, which the ends of a colour map stand for.
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/stage/cell_kind.h"

namespace headlight {

struct Survey;

/// What the colours of a map are about.
enum class ColormapKind : std::uint8_t {
  sequential,  ///< its lowest colour stands for zero, or the smallest value
  diverging,   ///< its middle stands for zero
};

struct ValueRange {
  float lo = 0;
  float hi = 1;
  bool operator==(const ValueRange&) const = default;
};

/// The smallest and largest of what is a value (finite, not masked, not dropped); grows by add().
class Extent {
 public:
  void add(float value) {
    lo_ = value < lo_ ? value : lo_;
    hi_ = value > hi_ ? value : hi_;
  }
  /// Of a matrix that is computed as it is read, a sample of its rows. Throws Cancelled.
  void add(const MatrixView& matrix, const CellMasks& masks = {}, const std::stop_token& stop = {});
  /// The same, of every cell whatever that takes.
  void add_every_cell(const MatrixView& matrix, const CellMasks& masks = {});
  void add(const Survey& survey);
  bool empty() const { return lo_ > hi_; }
  /// Diverging: symmetric about zero. Sequential: reaches to zero, so that weights run over [0, max].
  /// Never of zero width: without values, or where all are zero, [−1, 1] or [0, 1].
  ValueRange range(ColormapKind kind) const;

 private:
  float lo_ = 3.4028235e38f;
  float hi_ = -3.4028235e38f;
};

}  // namespace headlight
