// Numbers as text, and back, independent of the locale.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace headlight {

/// The shortest decimal that reads back as the same number; "inf", "-inf", "nan". Independent of the locale.
std::string shortest(float value);
std::string shortest(double value);

/// As std::snprintf, but a text of at most 127 bytes: formatted("%.2f", 0.5) is "0.50" in the locale "C", which the
/// program never leaves; a NaN has no sign.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// As std::from_chars: independent of the locale, no blanks, no '+'; `value` is unchanged if there is no number.
std::from_chars_result number_from(const char* begin, const char* end, float& value);
std::from_chars_result number_from(const char* begin, const char* end, double& value);
std::from_chars_result number_from(const char* begin, const char* end, std::integral auto& value) {
  return std::from_chars(begin, end, value);
}

/// A number's text without the '+' that people write before it.
inline std::string_view without_plus(std::string_view text) { return text.starts_with('+') ? text.substr(1) : text; }

/// The number that the whole text is; unset if it is none or does not fit.
template <typename Number>
std::optional<Number> number_of_text(std::string_view text) {
  Number value = 0;
  const auto [end, error] = number_from(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace headlight
