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

/// A --range setting. Throws SettingError for anything but row, head, stage, LO:HI with LO < HI, both finite, or the
/// same as percentiles, "1%:99%".
struct RangeSetting {
  RangeMode mode = RangeMode::head;
  ValueRange fixed{};    ///< where mode is fixed
  bool percent = false;  ///< `fixed` is in percent of the values that are shown
  bool operator==(const RangeSetting&) const = default;
};
RangeSetting parse_range(std::string_view text);

/// Where a value lies: 0 at lo, 1 at hi, not clamped. Finite for any finite value, even where hi − lo overflows.
float normalise(float value, ValueRange range);

/// How values between the two ends are spread over the colours.
enum class Norm : std::uint8_t { linear, sqrt, log };
inline constexpr const char* norm_words[] = {"linear", "sqrt", "log"};  ///< on the command line

/// Where a value lies on a bar from 0 to 1 (clamped but for linear). Diverging maps keep zero in their middle and
/// spread magnitudes. For log, what is below `range.lo` (diverging: below 1/1000 of the largest) has the low end's (the
/// middle's) colour.
float spread(float value, ValueRange range, ColormapKind kind, Norm norm);
/// The low end that a logarithmic scale takes in place of one that is not above zero: the power of ten at or below the
/// smallest value that is above zero, and below 1/10000 of `range.hi`, whichever is larger. `least` is what other
/// panels gave.
float log_low(const MatrixView& matrix, const CellMasks& masks, ValueRange range, float least);

/// The matrix with each row scaled by its own range: to [−1, 1] (diverging) or [0, 1] (sequential). Cells that are not
/// values keep what they are.
Buffer normalise_rows(const MatrixView& matrix, const CellMasks& masks, ColormapKind kind);

}  // namespace headlight
