#include "core/explain/plain_math.h"

#include <algorithm>

namespace headlight {
namespace {

/// The inside of the braces that `text` starts with, and what follows them; without braces, the first character.
std::pair<std::string_view, std::string_view> argument(std::string_view text) {
  if (!text.starts_with('{')) return {text.substr(0, 1), text.substr(std::min<std::size_t>(1, text.size()))};
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0) return {text.substr(1, i - 1), text.substr(i + 1)};
  }
  return {text.substr(1), {}};
}

/// In parentheses where it is more than one word, or one call of a function.
std::string grouped(const std::string& plain) {
  return plain.find(' ') == std::string::npos ? plain : "(" + plain + ")";
}

std::string script(char mark, std::string_view text) {
  const std::string plain = plain_math(text);
  if (mark == '^') return "^" + plain;
  return plain.size() > 1 && plain.find_first_of("0123456789,") != std::string::npos ? "[" + plain + "]" : "_" + plain;
}

}  // namespace

std::string plain_math(std::string_view markup) {
  std::string plain;
  while (!markup.empty()) {
    if (markup.starts_with("\\frac")) {
      const auto [over, after_over] = argument(markup.substr(5));
      const auto [under, rest] = argument(after_over);
      plain += grouped(plain_math(over)) + " / " + grouped(plain_math(under));
      markup = rest;
    } else if (markup.starts_with("\\sqrt")) {
      const auto [inside, rest] = argument(markup.substr(5));
      plain += "√" + grouped(plain_math(inside));
      markup = rest;
    } else if (markup[0] == '_' || markup[0] == '^') {
      const auto [inside, rest] = argument(markup.substr(1));
      plain += script(markup[0], inside);
      markup = rest;
    } else {
      plain += markup[0];
      markup.remove_prefix(1);
    }
  }
  return plain;
}

}  // namespace headlight
