#include "core/export/paper_lines.h"

#include "core/text/utf8.h"

namespace headlight {

std::vector<std::string> broken_lines(const std::string& text, float size, float width, Typesetter& typesetter,
                                      FontRole role) {
  std::vector<std::string> lines(1);
  std::string word;
  const auto flush = [&] {
    if (!lines.back().empty() && typesetter.width(lines.back() + word, role, size) > width) {
      while (lines.back().ends_with(' ')) lines.back().pop_back();
      lines.emplace_back();
      while (word.starts_with(' ')) word.erase(0, 1);
    }
    lines.back() += word;
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = next_character(text, at);
    const std::string_view character = std::string_view(text).substr(from, at - from);
    const bool chinese =
        c >= 0x2E80 && c < 0xFF00 && !(c >= 0x3000 && c < 0x3040);  // a line may not begin with 。 or ，
    if (c == ' ' || chinese) flush();
    word += character;
  }
  flush();
  return lines;
}

std::string filled(std::string pattern, std::initializer_list<int> numbers) {
  int place = 0;
  for (const int number : numbers) {
    const std::string mark = "{" + std::to_string(place++) + "}";
    if (const std::size_t at = pattern.find(mark); at != std::string::npos)
      pattern.replace(at, mark.size(), std::to_string(number));
  }
  return pattern;
}

}  // namespace headlight
