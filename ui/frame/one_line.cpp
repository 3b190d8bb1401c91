#include "ui/frame/one_line.h"

#include <string_view>

namespace headlight {
namespace {

constexpr std::string_view between_lines = " / ";

}  // namespace

const std::string& in_one_line(const Frame& frame, const std::string& lines) {
  struct OneLine {
    std::string text;
  };
  if (lines.find('\n') == std::string::npos) return lines;
  const auto make = [&] {
    OneLine line;
    for (const char c : lines) c == '\n' ? line.text += between_lines : line.text += c;
    return line;
  };
  return frame.pictures.get<OneLine>(make, lines).text;
}

std::string as_lines(std::string text) {
  for (std::size_t at = text.find(between_lines); at != std::string::npos; at = text.find(between_lines, at + 1)) {
    if (text.find_first_not_of(" /", at) != std::string::npos) text.replace(at, between_lines.size(), "\n");
  }
  return text;
}

}  // namespace headlight
