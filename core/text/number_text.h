// Numbers as text, and back, independent of the locale.
#pragma once

#include <charconv>
#include <concepts>
#include <string>

namespace headlight {

/// The shortest decimal that reads back as the same number; "inf", "-inf", "nan". Independent of the locale.
std::string shortest(float value);
std::string shortest(double value);

/// As std::from_chars: independent of the locale, no blanks, no '+'; `value` is unchanged if there is no number.
std::from_chars_result number_from(const char* begin, const char* end, float& value);
std::from_chars_result number_from(const char* begin, const char* end, double& value);
std::from_chars_result number_from(const char* begin, const char* end, std::integral auto& value) {
  return std::from_chars(begin, end, value);
}

}  // namespace headlight
