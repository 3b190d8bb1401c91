#include "ui/parts/widgets/paragraph.h"

#include <algorithm>

namespace headlight {
namespace {

constexpr std::string_view closing = "，。、：；？！）》」』】”’…—,.:;?!)]}%";
constexpr std::string_view opening = "（《「『【“‘([{";

/// Chinese characters, their punctuation, and full-width forms: U+2E80 and above, as their first byte says.
bool is_cjk(std::string_view character) {
  return character.size() >= 3 && static_cast<unsigned char>(character[0]) >= 0xE2 && character >= "\xE2\xBA\x80";
}

/// The length of the text's first line, its trailing spaces included.
std::size_t line_length(const Fonts& fonts, Face face, float pixels, std::string_view text, float width) {
  std::size_t at = 0, last_break = 0;
  float extent = 0;
  std::string_view before;
  while (at < text.size()) {
    const std::string_view character = first_character(text.substr(at));
    if (character == "\n") return at + 1;
    if (at > 0 && may_break_between(before, character)) last_break = at;
    extent += text_size(fonts, face, pixels, character).x;
    if (extent > width + 0.5f && character != " " && last_break > 0) return last_break;
    at += character.size();
    before = character;
  }
  return at;
}

}  // namespace

std::string_view first_character(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return text.substr(0, length);
}

bool may_break_between(std::string_view before, std::string_view after) {
  if (before == " ") return after != " " && after != "%";  // "36 %" is one number
  if (after == " " || (!is_cjk(before) && !is_cjk(after))) return false;
  return closing.find(after) == std::string_view::npos && opening.find(before) == std::string_view::npos;
}

std::vector<std::string> paragraph_lines(const Fonts& fonts, Face face, float pixels, std::string_view text,
                                         float width, std::size_t most) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < most) {
    const std::size_t length = lines.size() + 1 < most ? line_length(fonts, face, pixels, text, width) : text.size();
    const std::string_view line = text.substr(0, text.find_last_not_of(" \n", length - 1) + 1);
    lines.push_back(elide(fonts, face, pixels, line, width));
    text.remove_prefix(length);
  }
  return lines;
}

std::vector<std::string> whole_lines(const Fonts& fonts, Face face, float pixels,
                                     std::initializer_list<std::string_view> texts, float width, std::size_t most) {
  for (const std::string_view text : texts) {
    std::vector<std::string> lines = paragraph_lines(fonts, face, pixels, text, width);
    const bool whole = std::ranges::none_of(lines, [](const std::string& line) { return line.ends_with("…"); });
    if (whole && lines.size() <= most) return lines;
  }
  return {};
}

float draw_paragraph(ImDrawList* list, const Fonts& fonts, Face face, float pixels, ImVec2 at, ImU32 colour,
                     std::string_view text, float width) {
  const float line = fonts.crisp(face, pixels) * 1.18f, top = at.y;
  while (!text.empty()) {
    const std::size_t length = line_length(fonts, face, pixels, text, width);
    if (list)
      draw_text(*list, fonts, face, pixels, at, colour, text.substr(0, text[length - 1] == '\n' ? length - 1 : length));
    text.remove_prefix(length);
    at.y += line;
  }
  return at.y - top;
}

}  // namespace headlight
