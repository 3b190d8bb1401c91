#include "core/base/text/number_text.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <version>

namespace headlight {
namespace {

template <typename Number>
std::string shortest_of(Number value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  return std::string(text, end);
}

}  // namespace

std::string formatted(const char* format, ...) {
  char text[128];
  std::va_list values;
  va_start(values, format);
  const int length = std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  std::string made(text, static_cast<std::size_t>(std::clamp<int>(length, 0, sizeof text - 1)));
  if (const auto at = made.find("-nan"); at != std::string::npos) made.erase(at, 1);  // a NaN has no sign
  return made;
}

std::string shortest(float value) { return shortest_of(value); }
std::string shortest(double value) { return shortest_of(value); }

#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L

std::from_chars_result number_from(const char* begin, const char* end, float& value) {
  return std::from_chars(begin, end, value);
}
std::from_chars_result number_from(const char* begin, const char* end, double& value) {
  return std::from_chars(begin, end, value);
}

#else

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && is_digit(text[at + count])) ++count;
  return count;
}

bool has_word_at(std::string_view text, std::size_t at, std::string_view word) {
  if (text.size() - at < word.size()) return false;
  return std::equal(word.begin(), word.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

/// The length of the number at the beginning of the text; 0 if there is none.
std::size_t number_length(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (has_word_at(text, sign, word)) return sign + word.size();
  }
  const std::size_t whole = digits_at(text, sign);
  std::size_t at = sign + whole, parts = 0;
  if (at < text.size() && text[at] == '.') {
    parts = digits_at(text, at + 1);
    if (whole + parts > 0) at += 1 + parts;
  }
  if (whole + parts == 0) return 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t signed_from =
        at + 1 + (at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0);
    if (const std::size_t digits = digits_at(text, signed_from); digits > 0) at = signed_from + digits;
  }
  return at;
}

/// `convert`: strtof or strtod; the program always uses the "C" locale.
template <typename Number>
std::from_chars_result converted(const char* begin, const char* end, Number& value,
                                 Number (*convert)(const char*, char**)) {
  const std::size_t length = number_length({begin, static_cast<std::size_t>(end - begin)});
  if (length == 0) return {begin, std::errc::invalid_argument};
  const std::string copy(begin, length);
  errno = 0;
  const Number read = convert(copy.c_str(), nullptr);
  const bool denormal = errno == ERANGE && read != 0 && read < 1 && read > -1;
  if (errno == ERANGE && !denormal) return {begin + length, std::errc::result_out_of_range};
  value = read;
  return {begin + length, std::errc()};
}

}  // namespace

std::from_chars_result number_from(const char* begin, const char* end, float& value) {
  return converted(begin, end, value, std::strtof);
}
std::from_chars_result number_from(const char* begin, const char* end, double& value) {
  return converted(begin, end, value, std::strtod);
}

#endif

}  // namespace headlight
