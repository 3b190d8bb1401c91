// std::from_chars for all number types; some standard libraries lack it for floating point.
#pragma once

#include <charconv>
#include <concepts>

namespace headlight {

/// As std::from_chars: independent of the locale, no blanks, no '+'; `value` is unchanged if there is no number.
std::from_chars_result number_from(const char* begin, const char* end, float& value);
std::from_chars_result number_from(const char* begin, const char* end, double& value);
std::from_chars_result number_from(const char* begin, const char* end, std::integral auto& value) {
  return std::from_chars(begin, end, value);
}

}  // namespace headlight
