#include "ui/parts/scene/matrix_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/base/text/number_text.h"

namespace headlight {
namespace {

constexpr Index looked_at_most = 4096;
constexpr int most_decimals = 5;
constexpr float most_off = 0.05f;  // largest relative error of a printed number

/// The number of decimals that gives two significant digits.
int two_digits(float size) {
  return size > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(size))), 0, most_decimals) : 0;
}

int characters(const std::string& text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_scientific(double size) { return size != 0 && (size < 1e-5 || size >= 1e6); }

/// Decimals of a printed number; for scientific notation, those of its mantissa.
int usual_decimals(double size) {
  if (size == 0 || !std::isfinite(size)) return 0;
  if (is_scientific(size)) return 1;
  const int power = static_cast<int>(std::floor(std::log10(size)));
  return power < 2 ? std::max(2, 1 - power) : std::max(0, 3 - power);
}

Printed printed_with(double number, int decimals) {
  if (!std::isfinite(number)) return {std::isnan(number) ? "NaN" : number < 0 ? "−∞" : "+∞", number, 0};
  if (number == 0) return {"0", 0, 0};
  const double size = std::abs(number);
  const bool scientific = is_scientific(size);
  const std::string text = formatted(scientific ? "%.*e" : "%.*f", decimals, size);
  const double value = std::strtod(text.c_str(), nullptr);
  const double power = scientific ? std::floor(std::log10(value)) : 0;
  return {(number < 0 ? "−" : "") + text, number < 0 ? -value : value, std::pow(10.0, power - decimals)};
}

}  // namespace

MatrixNumbers for_chances(std::span<const double> chances) {
  const bool small = std::ranges::any_of(chances, [](double chance) { return chance > 0 && chance < 0.01; });
  return MatrixNumbers(small ? 3 : 2, true);
}

Printed printed(double number, int more) { return printed_with(number, usual_decimals(std::abs(number)) + more); }

std::vector<Printed> printed_alike(const std::vector<double>& numbers, int more) {
  int decimals = 0;
  for (const double number : numbers) decimals = std::max(decimals, usual_decimals(std::abs(number)));
  std::vector<Printed> shown;
  for (const double number : numbers) shown.push_back(printed_with(number, decimals + more));
  return shown;
}

std::vector<Printed> printed_factors(const std::vector<double>& factors) {
  double product = 1;
  for (const double factor : factors) product *= factor;
  // Rather two more digits of the factors than one fewer of the product, which stands in a column with others.
  constexpr int most_more = 6, before_fewer = 2;
  for (int more = 0;; ++more) {
    std::vector<Printed> shown;
    double seen = 1;
    for (const double factor : factors) {
      shown.push_back(printed(factor, more));
      seen *= shown.back().value;
    }
    shown.push_back(printed(product));
    if (!std::isfinite(product)) return shown;
    const int most = usual_decimals(std::abs(product));
    const int least = more < before_fewer ? most : std::max(most - 1, 0);
    for (int decimals = most; decimals >= least; --decimals) {
      shown.back() = printed_with(product, decimals);
      const Printed& last = shown.back();
      if (std::abs(seen - last.value) <= last.unit * (1 + 1e-6) || more == most_more) return shown;
    }
  }
}

PrintedProduct printed_product(float left, float right) {
  std::vector<Printed> shown = printed_factors({static_cast<double>(left), static_cast<double>(right)});
  return {std::move(shown[0]), std::move(shown[1]), std::move(shown[2])};
}

std::string printed_sum(double left, double right) {
  int decimals = std::clamp(std::max(usual_decimals(std::abs(left)), usual_decimals(std::abs(right))), 0, 6);
  const auto adds_up = [&] {
    const Printed sum = printed_with(left + right, decimals);
    return std::abs(printed_with(left, decimals).value + printed_with(right, decimals).value - sum.value) <
           sum.unit / 2;
  };
  for (int more = 0; more < 3 && !adds_up(); ++more) ++decimals;
  return printed_with(left, decimals).text + (right < 0 ? " − " : " + ") +
         printed_with(std::abs(right), decimals).text + " = " + printed_with(left + right, decimals).text;
}

MatrixNumbers::MatrixNumbers(const MatrixView& matrix, const CellMasks& masks) {
  std::vector<float> sizes, values;
  const Index rows =
      std::min(matrix.rows, looked_at_most / std::max<Index>(std::min(matrix.cols, looked_at_most), 1) + 1);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < std::min(matrix.cols, looked_at_most); ++c) {
      const float value = matrix(r, c);
      if (classify(matrix, masks, r, c) != CellKind::value || value == 0) continue;
      sizes.push_back(std::abs(value));
      values.push_back(value);
      positive_ = positive_ && value > 0;
      whole_ = whole_ && value == std::round(value);
      most_ = std::max(most_, value);
      least_ = std::min(least_, value);
    }
  }
  if (sizes.empty()) {
    decimals_ = 0;
    return;
  }
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) / 2);
  std::ranges::nth_element(sizes, middle);
  const float largest = std::max(most_, -least_);
  fewest_ = two_digits(largest);
  decimals_ = std::clamp(two_digits(*middle), fewest_, fewest_ + 1);
  const float unit = std::pow(10.0f, static_cast<float>(-fewest_));
  std::erase_if(values, [unit](float value) { return std::abs(value) >= unit / 2; });
  small_ = std::move(values);
  measure();
}

void MatrixNumbers::measure() {
  longest_ = std::max(
      {characters((*this)(most_)), characters((*this)(least_)), positive_ ? decimals_ + 2 : 4});  // "−1.5" beside "12"
  const float unit = std::pow(10.0f, static_cast<float>(-decimals_));
  small_are_finer_ = std::ranges::all_of(small_, [&](float value) {
    return std::abs(value) >= unit / 2 || !finer(std::abs(value), room_of(value)).empty();
  });
}

// With as many decimals as needed to be within 5 %, without the leading 0 if that makes it fit; "" if it does not fit.
std::string MatrixNumbers::finer(float size, int room) const {
  char text[64];
  for (int decimals = decimals_ + 1; decimals <= most_decimals; ++decimals) {
    const int length = std::snprintf(text, sizeof text, "%.*f", decimals, static_cast<double>(size));
    if (std::abs(std::strtof(text, nullptr) - size) > most_off * size) continue;
    const int from = length > room && text[0] == '0' ? 1 : 0;
    return length - from <= room ? std::string(text + from) : std::string();
  }
  return {};
}

bool MatrixNumbers::lengthen() {
  constexpr float longest = 1000;
  if (decimals_ > 0 || whole_ || std::max(most_, -least_) >= longest) return false;
  ++decimals_;
  measure();
  return true;
}

void MatrixNumbers::take_decimals(int least) {
  decimals_ = std::max(decimals_, least);
  measure();
}

bool MatrixNumbers::shorten() {
  if (decimals_ <= fewest_) return false;
  --decimals_;
  measure();
  return true;
}

std::string MatrixNumbers::operator()(float value) const {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "+∞";
  if (value == 0) return "0";
  const float size = std::abs(value);
  const float unit = std::pow(10.0f, static_cast<float>(-decimals_));
  const bool below = size < unit / 2;
  if ((!below || (!positive_ && small_are_finer_)) &&
      std::abs(std::round(size / unit) * unit - size) > most_off * size) {
    const std::string exact = finer(size, room_of(value));
    if (!exact.empty()) return (value < 0 ? "−" : "") + exact;
  }
  if (below) {
    if (!positive_) return "≈0";
    return "<" + formatted("%.*f", decimals_, static_cast<double>(unit)).substr(decimals_ > 0 ? 1 : 0);
  }
  return (value < 0 ? "−" : "") + (size >= 1e6f ? formatted("%.1e", static_cast<double>(size))
                                                : formatted("%.*f", decimals_, static_cast<double>(size)));
}

}  // namespace headlight
