// The numbers of one matrix as text: one precision for all, real minus signs, and "0" only for 0.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/rules/stage/extent.h"

namespace headlight {

class MatrixNumbers {
 public:
  /// Chooses the decimals so that the median has two significant digits, and at least as many as the largest needs.
  explicit MatrixNumbers(const MatrixView& matrix, const CellMasks& masks = {});
  explicit MatrixNumbers(std::span<const float> row)
      : MatrixNumbers(MatrixView{row.data(), 1, std::ssize(row), std::ssize(row), 1}) {}
  MatrixNumbers(int decimals, bool positive) : decimals_(decimals), fewest_(decimals), positive_(positive) {}

  int decimals() const { return decimals_; }
  /// Shows one decimal if there is none, so that small numbers among large ones have the same precision. Returns false
  /// if all numbers are whole or there are decimals already.
  bool lengthen();
  /// Shows at least this many decimals, as the numbers next to these do.
  void take_decimals(int least);
  /// Drops one decimal if the largest number keeps two significant digits; else returns false.
  bool shorten();
  /// "−1.28". Small values get more decimals where they fit. Zero is "0"; a value that rounds to zero is "<.01" among
  /// weights, else "≈0". Either all signed values that round to zero get more decimals or none does: "≈0" never stands
  /// beside ".0011", which is one of them.
  std::string operator()(float value) const;
  /// The length of the longest number.
  int longest() const { return longest_; }

 private:
  void measure();
  std::string finer(float size, int room) const;
  int room_of(float value) const { return longest_ - (value < 0 ? 1 : 0); }

  int decimals_ = 2, fewest_ = 0, longest_ = 1;
  bool positive_ = true, whole_ = true;
  std::vector<float> small_;     ///< the values that round to zero with the fewest decimals
  bool small_are_finer_ = true;  ///< those that round to zero get more decimals: there is room for all of them
  float most_ = 0, least_ = 0;
};

/// For probabilities beside each other: two decimals, or three if one of them is less than 0.01. A negative one is
/// unknown.
MatrixNumbers for_chances(std::span<const double> chances);

/// A printed number: its text, the value of that text, and one unit of its last digit.
struct Printed {
  std::string text;
  double value = 0, unit = 0;
};
/// With two decimals, or more for two significant digits, plus `more`.
Printed printed(double number, int more = 0);

/// Each with the same number of decimals, as many as the one that needs most, plus `more`.
std::vector<Printed> printed_alike(const std::vector<double>& numbers, int more = 0);

/// left × right = product, with enough digits that the product of the printed factors is the printed product, to its
/// last digit.
struct PrintedProduct {
  Printed left, right, product;
};
PrintedProduct printed_product(float left, float right);
/// The same for several factors; the last element is the product.
std::vector<Printed> printed_factors(const std::vector<double>& factors);
/// "−1.88 + 0.70 = −1.18", with the same number of decimals, enough to be correct.
std::string printed_sum(double left, double right);

}  // namespace headlight
