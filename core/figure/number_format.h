// Which digits the numbers of a matrix are written with. One precision for all of them, two significant digits at
// least: no number is ever written as a rounder one than it is, not −0.436 as "0" nor 0.71 as "1". Beside numbers so
// large that there is no room for that, a small one has the decimals that two digits of it take.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace headlight {

struct NumberFormat;

/// What is known of the numbers that are to be written; grows by add().
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
  float least = 0;     ///< what is smaller has not two digits at this precision: it takes more decimals
  int most = 40;       ///< characters; what is too small to show two digits in so many is written "≈0"
  bool hides = false;  ///< whether some of the numbers are

  /// Into `buffer`, with a real minus sign. Zero is "0".
  std::string_view write(float value, char (&buffer)[48]) const;
};

/// The most telling way to write them in `most` characters each: all digits that two significant ones of the smallest
/// take or, where these do not fit, of all that are at least a hundredth, then a tenth, of the largest. None where
/// nothing of this fits.
std::optional<NumberFormat> number_format(const NumberSpan& span, int most);

}  // namespace headlight
