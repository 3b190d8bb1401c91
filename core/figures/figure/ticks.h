// The labels along the axes and next to the colour bar: which ticks, which texts, which slant. Plain data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/figures/figure/colormap.h"
#include "core/figures/figure/typesetter.h"

namespace headlight {

struct AxisTick {
  Index index;       ///< of the row or column
  std::string text;  ///< elided to fit
  bool far = false;  ///< outside its neighbours' labels, which leave no room; a line connects it to its cell
};

struct AxisTicks {
  std::vector<AxisTick> ticks;
  float angle = 0;     ///< of the labels: 0, −45 or −90
  float depth = 0;     ///< room needed away from the matrix
  float overhang = 0;  ///< room needed before the first cell for slanted labels
  float far = 0;       ///< how much farther out the far labels begin
  bool marks = false;  ///< not every cell has a label: draw a mark at those that have one
};

/// The labels of an axis.
struct AxisWords {
  const std::vector<std::string>& tokens;  ///< empty: indices
  Index count;
  Index first = 0;  ///< the first index
};

/// Rows: tokens if each row has room for a line of `size`, otherwise indices in steps of 1, 2 or 5 · 10ᵏ.
AxisTicks row_ticks(const AxisWords& axis, float pitch, float size, Typesetter& typesetter);
/// Columns: the same, horizontal if they fit, otherwise at 45° if they `may_lean` out to the left, otherwise vertical.
AxisTicks column_ticks(const AxisWords& axis, float pitch, bool may_lean, float size, Typesetter& typesetter);

/// Every `step`th token; the middle of tokens longer than `longest` is omitted.
std::vector<AxisTick> word_ticks(const AxisWords& axis, Index step, float size, float longest, Typesetter& typesetter);
/// Indices that are multiples of `step`.
std::vector<AxisTick> index_ticks(const AxisWords& axis, Index step);
/// The smallest of 1, 2, 5, 10, 20 … that is at least `least`.
Index round_step(float least);

struct BarTick {
  float at;  ///< 0 at the bar's low end, 1 at its high end
  std::string text;
};
/// Round numbers (steps of 1, 2 or 5 · 10ᵏ) within the range, at most `most` of them.
std::vector<BarTick> bar_ticks(ValueRange range, int most);

/// The same for a bar with a norm: round numbers at least `apart` (relative to the bar) from each other.
std::vector<BarTick> spread_ticks(ValueRange range, ColormapKind kind, Norm norm, float apart);

/// With a real minus sign: "−0.25". Never "−0.00".
std::string format_value(float value, int decimals);

/// As short as four digits allow: "1e−6".
std::string format_scientific(float value);

// The digits of the numbers in a matrix. All numbers have the same precision, with at least two significant digits, so
// that −0.436 is not written as "0", nor 0.71 as "1". If the largest numbers leave no room for this, each small number
// gets as many decimals as two of its digits need.
struct NumberFormat;

/// Statistics of the numbers to be written; grows by add().
class NumberSpan {
 public:
  void add(float value);  ///< finite

 private:
  friend std::optional<NumberFormat> number_format(const NumberSpan& span, int most);
  float largest_ = 0, least_ = 3.4028235e38f;  // magnitudes; the least that is not zero
  bool negative_ = false, whole_ = true;
};

struct NumberFormat {
  int decimals = 0;
  bool leading_zero = true;
  float least = 0;     ///< numbers below this do not have two digits at this precision and get more decimals
  int most = 40;       ///< characters; numbers that cannot show two digits within this width are written "≈0"
  bool hides = false;  ///< whether there are such numbers

  /// Writes into `buffer`, with a real minus sign. Zero is "0".
  std::string_view write(float value, char (&buffer)[48]) const;
};

/// The most precise format with at most `most` characters: all digits for two significant ones of the smallest number
/// or, if these do not fit, of numbers that are at least a hundredth, then a tenth, of the largest. Unset if none of
/// these fits.
std::optional<NumberFormat> number_format(const NumberSpan& span, int most);

}  // namespace headlight
