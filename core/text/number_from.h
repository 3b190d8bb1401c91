// std::from_chars for every kind of number: not every standard library has it for floating point.
#pragma once

#include <charconv>
#include <concepts>

namespace headlight {

/// As std::from_chars: not of the system's language, no blanks, no '+', and `value` as it was where there is no number.
std::from_chars_result number_from(const char* begin, const char* end, float& value);
std::from_chars_result number_from(const char* begin, const char* end, double& value);
std::from_chars_result number_from(const char* begin, const char* end, std::integral auto& value) {
  return std::from_chars(begin, end, value);
}

}  // namespace headlight
