// Which values the two ends of a colour map stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/figure/colormap.h"
#include "core/stage/extent.h"
#include "core/tensor/tensor.h"

namespace headlight {

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

/// Where a value lies: 0 at lo, 1 at hi, not clamped. Finite for any finite value, even where hi − lo overflows.
float normalise(float value, ValueRange range);

/// The matrix with each row scaled by its own range: to [−1, 1] (diverging) or [0, 1] (sequential). Cells that are not
/// values keep what they are.
Buffer normalise_rows(const MatrixView& matrix, const CellMasks& masks, ColormapKind kind);

}  // namespace headlight
