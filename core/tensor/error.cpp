#include "core/tensor/error.h"

#include <array>
#include <cstdio>

#include "core/text/utf8.h"

namespace headlight {
namespace {

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

/// On one line whatever a file or a person put into it: control characters and bytes that are no UTF-8 as \xNN.
std::string one_line(const std::string& text) {
  std::string line;
  line.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = at;
    const char32_t c = next_character(text, at);
    const bool broken = c == U'\uFFFD' && at == first + 1;
    if (!broken && !is_control(c)) {
      line.append(text, first, at - first);
      continue;
    }
    for (std::size_t i = first; i < at; ++i) {
      std::array<char, 5> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\x%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(text[i])));
      line += escaped.data();
    }
  }
  return line;
}

bool continues(const std::string& text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u;
}

/// Its two ends where it is longer than `most` bytes: names tell themselves apart at their ends.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return one_line(text);
  std::size_t head = most * 2 / 3, tail = text.size() - most / 3;
  while (head > 0 && continues(text, head)) --head;
  while (continues(text, tail)) ++tail;
  return one_line(text.substr(0, head)) + " … " + one_line(text.substr(tail));
}

std::string join(const std::string& first, const char* separator, const std::string& second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  return first + separator + second;
}

constexpr std::size_t longest_subject = 300, longest_wrong = 900, longest_expected = 4000;

}  // namespace

InputError::InputError(const std::string& subject, const std::string& wrong, const std::string& expected)
    : std::runtime_error(join(shortened(subject, longest_subject), ": ",
                              join(shortened(wrong, longest_wrong), "; ", shortened(expected, longest_expected)))),
      subject_(subject),
      sentence_(join(shortened(wrong, longest_wrong), "; ", shortened(expected, longest_expected))) {}

ExpressionError::ExpressionError(std::size_t position, const std::string& wrong, const std::string& expected)
    : InputError("--mask", wrong, expected), position_(position) {}

}  // namespace headlight
