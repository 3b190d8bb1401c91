// Which values the two ends of a colour map stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/figure/cell.h"
#include "core/figure/colormap.h"
#include "core/tensor/tensor.h"

namespace headlight {

struct ValueRange {
  float lo = 0;
  float hi = 1;
  bool operator==(const ValueRange&) const = default;
};

enum class RangeMode : std::uint8_t {
  row,    ///< each row of the matrix by itself
  head,   ///< the matrix
  stage,  ///< every batch entry and head of the stage together, so that heads compare
  fixed,  ///< given
};

/// A --range setting. Throws SettingError for anything but row, head, stage or LO:HI with LO < HI, both finite.
struct RangeSetting {
  RangeMode mode = RangeMode::head;
  ValueRange fixed{};  ///< where mode is fixed
  bool operator==(const RangeSetting&) const = default;
};
RangeSetting parse_range(std::string_view text);

/// The smallest and largest of what is a value (finite, not masked, not dropped); grows by add().
class Extent {
 public:
  void add(float value) {
    lo_ = value < lo_ ? value : lo_;
    hi_ = value > hi_ ? value : hi_;
  }
  void add(const MatrixView& matrix, const CellMasks& masks = {});
  bool empty() const { return lo_ > hi_; }
  /// Diverging: symmetric about zero. Sequential: reaches to zero, so that weights run over [0, max].
  /// Never of zero width: without values, or where all are zero, [−1, 1] or [0, 1].
  ValueRange range(ColormapKind kind) const;

 private:
  void add_plain(const MatrixView& matrix);

  float lo_ = 3.4028235e38f;
  float hi_ = -3.4028235e38f;
};

/// Where a value lies: 0 at lo, 1 at hi, not clamped. Finite for any finite value, even where hi − lo overflows.
float normalise(float value, ValueRange range);

/// The matrix with each row scaled by its own range: to [−1, 1] (diverging) or [0, 1] (sequential). Cells that are not
/// values keep what they are.
Buffer normalise_rows(const MatrixView& matrix, const CellMasks& masks, ColormapKind kind);

}  // namespace headlight
