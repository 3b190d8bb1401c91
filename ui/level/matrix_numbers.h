// Numbers of one matrix on the wall: one precision for all of them, real minus signs, and never "0" for what is not 0.
#pragma once

#include <string>
#include <vector>

#include "core/stage/cell_kind.h"

namespace headlight {

class MatrixNumbers {
 public:
  /// For these numbers: decimals so that the middle one has two significant digits; at least so many that the largest
  /// has.
  explicit MatrixNumbers(const MatrixView& matrix, const CellMasks& masks = {});
  MatrixNumbers(int decimals, bool positive) : decimals_(decimals), fewest_(decimals), positive_(positive) {}

  int decimals() const { return decimals_; }
  /// One decimal less, where the largest number keeps two significant digits; false where it would not.
  bool shorten();
  /// "−1.28"; a small one among large ones has more decimals, where they fit; "0" for zero alone; what is not zero but
  /// rounds to it is "<.01" among weights, else "≈0" where nothing better fits.
  std::string operator()(float value) const;
  /// The most characters of any number it was made for.
  int longest() const { return longest_; }

 private:
  void measure();
  std::string finer(float size, int room) const;

  int decimals_ = 2, fewest_ = 0, longest_ = 1;
  bool positive_ = true;
  float most_ = 0, least_ = 0;
};

/// A number as it stands printed: the value that its text has, and one unit of its last digit.
struct Printed {
  std::string text;
  double value = 0, unit = 0;
};
/// With two decimals, or so many that two digits count; `more` than that.
Printed printed(double number, int more = 0);

/// left × right = product, with so many digits that whoever multiplies the printed factors gets the printed product, to
/// its last digit.
struct PrintedProduct {
  Printed left, right, product;
};
PrintedProduct printed_product(float left, float right);
/// The same of any number of factors, which come first; the product is the last.
std::vector<Printed> printed_factors(const std::vector<double>& factors);
/// "−1.88 + 0.70 = −1.18", all with the same decimals, as many as make it right.
std::string printed_sum(double left, double right);

}  // namespace headlight
