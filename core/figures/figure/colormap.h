// Colour maps: tables under assets/colormaps, read by name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/image/theme.h"
#include "core/base/tensor/tensor.h"
#include "core/rules/stage/extent.h"
#include "core/rules/stage/stage.h"

namespace headlight {

class Colormap {
 public:
  using Table = std::array<Rgba, 256>;
  Colormap(std::string name, ColormapKind kind, const Table& table)
      : name_(std::move(name)), kind_(kind), table_(table) {}

  const std::string& name() const { return name_; }
  ColormapKind kind() const { return kind_; }
  /// From the lowest to the highest value; the window uploads it as a 256 × 1 texture.
  const Table& table() const { return table_; }
  /// The colour at t in [0, 1] (clamped), interpolated linearly between entries: x = 255 t, i = floor(x), mix(table[i],
  /// table[min(i + 1, 255)], x − i). A shader that does the same agrees within 1/255.
  Rgba at(float t) const;

 private:
  std::string name_;
  ColormapKind kind_;
  Table table_;
};

/// By name; if the map has a variant for each theme, the theme's. Throws SettingError ("--colormap") with a list of
/// the names.
Colormap colormap(std::string_view name, Theme theme);
/// For masks: cells that may attend have one colour, used by no other map and no head; the others are hatched.
const Colormap& mask_colormap(Theme theme);
/// "signal" for signed stages, "attention" for weights.
std::string_view default_colormap(Palette palette);
/// The names: our own two first, the others in alphabetical order.
std::vector<std::string> list_colormaps();

// The values at the two ends of a colour map.
enum class RangeMode : std::uint8_t {
  row,    ///< each row of the matrix has its own range
  head,   ///< the matrix
  stage,  ///< one range for all batch entries and heads of the stage, so that heads can be compared
  fixed,  ///< a given range
};

/// The first three on the command line.
inline constexpr const char* range_words[] = {"row", "head", "stage", "fixed"};

/// A --range setting. Throws SettingError for anything except row, head, stage, LO:HI with finite LO < HI, or the same
/// as percentiles, "1%:99%".
struct RangeSetting {
  RangeMode mode = RangeMode::head;
  ValueRange fixed{};    ///< for RangeMode::fixed
  bool percent = false;  ///< `fixed` is in percentiles of the shown values
  bool operator==(const RangeSetting&) const = default;
};
RangeSetting parse_range(std::string_view text);

/// The position of a value: 0 at lo, 1 at hi, not clamped. Finite for any finite value, even if hi − lo overflows.
float normalise(float value, ValueRange range);

/// How values between the two ends are mapped to colours.
enum class Norm : std::uint8_t { linear, sqrt, log };
inline constexpr const char* norm_words[] = {"linear", "sqrt", "log"};  ///< on the command line

/// The position of a value on a bar from 0 to 1 (clamped, except for linear). Diverging maps keep zero in the middle
/// and map magnitudes. For log, values below `range.lo` (diverging: below 1/1000 of the largest) have the colour of the
/// low end (the middle).
float spread(float value, ValueRange range, ColormapKind kind, Norm norm);
/// The low end of a logarithmic scale if the range's own is not positive: the power of ten at or below the smallest
/// positive value, or the one below 1/10000 of `range.hi`, whichever is larger. `least` is the result for other panels.
float log_low(const MatrixView& matrix, const CellMasks& masks, ValueRange range, float least);

/// The matrix with each row scaled by its own range: to [−1, 1] (diverging) or [0, 1] (sequential). Cells that are not
/// values are unchanged.
Buffer normalise_rows(const MatrixView& matrix, const CellMasks& masks, ColormapKind kind);

}  // namespace headlight
