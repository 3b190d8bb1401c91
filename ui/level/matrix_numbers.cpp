#include "ui/level/matrix_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace headlight {
namespace {

constexpr Index looked_at_most = 4096;
constexpr int most_decimals = 5;
constexpr float most_off = 0.05f;  // of its value, that a number is printed

/// Decimals that give this number two significant digits.
int two_digits(float size) {
  return size > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(size))), 0, most_decimals) : 0;
}

int characters(const std::string& text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

MatrixNumbers::MatrixNumbers(const MatrixView& matrix, const CellMasks& masks) {
  std::vector<float> sizes;
  const Index rows =
      std::min(matrix.rows, looked_at_most / std::max<Index>(std::min(matrix.cols, looked_at_most), 1) + 1);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < std::min(matrix.cols, looked_at_most); ++c) {
      const float value = matrix(r, c);
      if (classify(matrix, masks, r, c) != CellKind::value || value == 0) continue;
      sizes.push_back(std::abs(value));
      positive_ = positive_ && value > 0;
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
  measure();
}

void MatrixNumbers::measure() {
  longest_ = std::max(
      {characters((*this)(most_)), characters((*this)(least_)), positive_ ? decimals_ + 2 : 4});  // "−1.5" beside "12"
}

// With as many decimals as it takes to be within 5 %, and without its leading 0 where that makes room; "" where there
// is none.
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
  char text[64];
  const float unit = std::pow(10.0f, static_cast<float>(-decimals_));
  const bool below = size < unit / 2;
  if ((!below || !positive_) && std::abs(std::round(size / unit) * unit - size) > most_off * size) {
    const std::string exact = finer(size, longest_ - (value < 0 ? 1 : 0));
    if (!exact.empty()) return (value < 0 ? "−" : "") + exact;
  }
  if (below) {
    if (!positive_) return "≈0";
    std::snprintf(text, sizeof text, "<%.*f", decimals_, static_cast<double>(unit));
    return decimals_ > 0 ? "<" + std::string(text + 2) : text;
  }
  if (size >= 1e6f) {
    std::snprintf(text, sizeof text, "%.1e", static_cast<double>(size));
  } else {
    std::snprintf(text, sizeof text, "%.*f", decimals_, static_cast<double>(size));
  }
  return (value < 0 ? "−" : "") + std::string(text);
}

}  // namespace headlight
