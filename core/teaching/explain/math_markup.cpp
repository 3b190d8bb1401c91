#include "core/teaching/explain/math_markup.h"

#include "core/base/text/unicode.h"

namespace headlight {

std::pair<std::string_view, std::string_view> markup_argument(std::string_view text) {
  if (!text.starts_with('{')) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto is_part = [&](char c) { return continues_character(c) || (is_letter(text[0]) && is_letter(c)); };
    std::size_t length = text.empty() ? 0 : 1;
    while (length < text.size() && is_part(text[length])) ++length;
    return {text.substr(0, length), text.substr(length)};
  }
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0) return {text.substr(1, i - 1), text.substr(i + 1)};
  }
  return {text.substr(1), {}};
}

namespace {

/// In parentheses, if the text is more than one word or one function call.
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
      const auto [over, after_over] = markup_argument(markup.substr(5));
      const auto [under, rest] = markup_argument(after_over);
      plain += grouped(plain_math(over)) + " / " + grouped(plain_math(under));
      markup = rest;
    } else if (markup.starts_with("\\in{")) {
      const auto [inside, rest] = markup_argument(markup_argument(markup.substr(3)).second);
      plain += plain_math(inside);
      markup = rest;
    } else if (markup.starts_with("\\sqrt")) {
      const auto [inside, rest] = markup_argument(markup.substr(5));
      plain += "√" + grouped(plain_math(inside));
      markup = rest;
    } else if (markup[0] == '_' || markup[0] == '^') {
      const auto [inside, rest] = markup_argument(markup.substr(1));
      plain += script(markup[0], inside);
      markup = rest;
    } else {
      plain += markup[0];
      markup.remove_prefix(1);
    }
  }
  return plain;
}

std::string without_stages(std::string_view markup) {
  std::string bare;
  for (std::size_t at = markup.find("\\in{"); at != std::string_view::npos; at = markup.find("\\in{")) {
    const auto [inside, rest] = markup_argument(markup_argument(markup.substr(at + 3)).second);
    bare.append(markup.substr(0, at)).append(without_stages(inside));
    markup = rest;
  }
  return bare.append(markup);
}

}  // namespace headlight
