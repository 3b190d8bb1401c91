#include "core/figure/number_format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headlight {
namespace {

constexpr int most_decimals = 7;

/// So many that two significant digits of a magnitude show.
int decimals_of(float size) {
  const int exponent = static_cast<int>(std::floor(std::log10(static_cast<double>(size)) + 1e-9));
  return std::max(0, 1 - exponent);
}

int whole_digits(float size, int decimals) {
  char text[64];
  const int length = std::snprintf(text, sizeof text, "%.*f", decimals, static_cast<double>(size));
  return decimals == 0 ? length : length - decimals - 1;
}

}  // namespace

void NumberSpan::add(float value) {
  const float size = std::fabs(value);
  largest_ = std::max(largest_, size);
  if (size > 0) least_ = std::min(least_, size);
  negative_ = negative_ || value < 0;
  whole_ = whole_ && value == std::round(value);
}

std::optional<NumberFormat> number_format(const NumberSpan& span, int most) {
  const auto fits = [&](int decimals, bool leading_zero) {
    const int digits = whole_digits(span.largest_, decimals) - (leading_zero || span.largest_ >= 1 ? 0 : 1);
    return digits + (decimals > 0 ? decimals + 1 : 0) + span.negative_ <= most;
  };
  if (span.whole_) {
    if (span.largest_ < 1e7f && fits(0, true)) return NumberFormat{};
    return {};
  }
  const float wanted[] = {span.least_, span.largest_ / 100, span.largest_ / 10};
  for (const float least : wanted) {
    const int decimals = decimals_of(std::max(least, span.least_));
    if (decimals > most_decimals || most < 2) continue;
    // Digits that cost nothing are shown: at least two decimals, three where a hundredth of the largest has fewer.
    for (const int shown : {std::max(decimals, 3), std::max(decimals, 2), decimals}) {
      for (const bool leading_zero : {true, false}) {
        if (!fits(shown, leading_zero)) continue;
        const float rounds_away =
            0.9525f * static_cast<float>(std::pow(10.0, 1 - shown));  // below, one digit or none, or more than 5 % off
        NumberFormat format{shown, leading_zero, span.least_ < rounds_away ? rounds_away : 0, most};
        char text[48];
        format.hides = format.write(span.negative_ ? -span.least_ : span.least_, text) == "≈0";
        return format;
      }
    }
  }
  return {};
}

std::string_view NumberFormat::write(float value, char (&buffer)[48]) const {
  if (value == 0) return "0";
  const float size = std::fabs(value);
  const int sign = value < 0 ? 1 : 0;
  int places = decimals;
  bool zero = leading_zero;
  if (size < least) {
    places = decimals_of(size);
    zero = zero && sign + 2 + places <= most;
    if (places > most_decimals || sign + 1 + places > most) return "≈0";
  }
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.*f", places, static_cast<double>(size));
  const char* from = !zero && places > 0 && digits[0] == '0' ? digits + 1 : digits;
  const int length = std::snprintf(buffer, sizeof buffer, "%s%s", sign ? "−" : "", from);
  return {buffer, static_cast<std::size_t>(std::min<int>(length, sizeof buffer - 1))};
}

}  // namespace headlight
