#include "core/figures/figure/typesetter.h"

#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/base/text/unicode.h"

namespace headlight {

float anchored(Anchor anchor, float width) {
  return anchor == Anchor::start ? 0 : anchor == Anchor::middle ? -width / 2 : -width;
}

char32_t shown_character(char32_t character) {
  const bool ends_line = character == U'\n' || character == U'\r' || character == 0x2028 || character == 0x2029;
  if (ends_line || character == U'\t') return U' ';
  return character < 0x20 || character == 0x7F ? U'\uFFFD' : character;
}

bool has_pictures(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (c >= 0x1F000 || c == 0xFE0F) return true;
  }
  return false;
}

std::string Typesetter::checked_family(const std::string& family) {
  if (family.empty()) return family;
  if (!has_family(family)) refuse_font(family);
  return installed_family(family);
}

int Typesetter::weight(FontRole role) const {
  constexpr int regular = 400, semi_bold = 600;
  if (role == FontRole::text) return style_.weight;
  return role == FontRole::strong ? std::max(style_.weight, semi_bold) : regular;
}

bool Typesetter::italic(FontRole role) const {
  return role == FontRole::math || (style_.italic && (role == FontRole::text || role == FontRole::strong));
}

std::string Typesetter::families(FontRole role) const {
  const bool own = !family_.empty() && (role == FontRole::text || role == FontRole::strong);
  return (own ? family_ + "," : "") + font_families(role);
}

std::string Typesetter::elide(std::string_view text, FontRole role, float size, float max_width) {
  if (width(text, role, size) <= max_width) return std::string(text);
  const float room = max_width - width("…", role, size);
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size();) {
    next_grapheme(text, at);
    if (width(text.substr(0, at), role, size) > room) break;
    kept = at;
  }
  while (kept > 0 && text[kept - 1] == ' ') --kept;
  return kept == 0 ? std::string() : std::string(text.substr(0, kept)) + "…";
}

std::string Typesetter::shorten(std::string_view text, FontRole role, float size, float max_width) {
  if (width(text, role, size) <= max_width) return std::string(text);
  std::vector<std::size_t> ends;  // the end of each character
  for (std::size_t at = 0; at < text.size();) next_grapheme(text, at), ends.push_back(at);
  const auto cut_to = [&](std::size_t kept) {
    const std::size_t head = ends[(kept + 1) / 2 - 1], tail = ends[ends.size() - 1 - kept / 2];
    return std::string(text.substr(0, head)) + "…" + std::string(text.substr(tail));
  };
  // Doubled until the word fits, so that the time grows with the width, not with the square of the length.
  std::size_t most = 64;
  while (most < ends.size() - 1 && width(cut_to(most), role, size) <= max_width) most *= 2;
  for (std::size_t kept = std::min(most, ends.size() - 1); kept >= 2; --kept) {
    std::string cut = cut_to(kept);
    if (width(cut, role, size) <= max_width) return cut;
  }
  return elide(text, role, size, max_width);
}

std::string as_mathematics(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::string marked;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool symbol = is_letter(text[i]) && (i == 0 || (!is_letter(text[i - 1]) && text[i - 1] != '_'));
    marked += text[i];
    if (!symbol || i + 2 >= text.size() || text[i + 1] != '_' || !is_letter(text[i + 2])) continue;
    marked += index_begins;
    for (i += 2; i < text.size() && is_letter(text[i]); ++i) marked += text[i];
    marked += index_ends;
    --i;
  }
  return marked;
}

}  // namespace headlight
