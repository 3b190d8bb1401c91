// Characters: decoded from UTF-8, and their classes, cases and widths by the Unicode tables of utf8proc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headlight {

bool is_letter(char32_t c);          ///< category L
bool is_digit(char32_t c);           ///< category N
bool is_mark(char32_t c);            ///< category Mn: combining accents
bool is_any_mark(char32_t c);        ///< category M
bool is_punctuation(char32_t c);     ///< category P
bool is_control(char32_t c);         ///< category C but for characters that are not assigned, as Hugging Face has it
bool is_blank(char32_t c);           ///< category Z, and white space among the control characters
bool is_word_character(char32_t c);  ///< \w of Unicode TS 18: letters, marks, digits, joining signs
bool is_ideograph(char32_t c);       ///< CJK ideographs, each a word of its own
char32_t to_lower(char32_t c);
/// Normalised: decomposed ("d") or composed, canonically or for compatibility ("k").
enum class UnicodeForm { nfc, nfd, nfkc, nfkd };
/// Invalid UTF-8 is returned unchanged.
std::string in_form(const std::string& text, UnicodeForm form);
void append_utf8(std::string& text, char32_t c);

/// Returns the character at `at` and advances it. Invalid UTF-8 counts byte by byte.
std::string_view next_grapheme(std::string_view text, std::size_t& at);

/// Terminal columns of the text: two for wide East Asian characters, none for combining marks.
std::size_t terminal_width(std::string_view text);

/// Whether a byte of UTF-8 is not the first of its character.
inline bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }
/// Where the character begins that the byte at `at` belongs to.
inline std::size_t character_start(std::string_view text, std::size_t at) {
  while (at > 0 && continues_character(text[at])) --at;
  return at;
}

/// Returns the character at `at` and advances it; for invalid UTF-8, U+FFFD and one byte.
inline char32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(at);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xF0 && lead < 0xF8 ? 4
                             : lead >= 0xE0                ? 3
                             : lead >= 0xC2                ? 2
                                                           : 0;
  char32_t character = length == 1 ? lead : lead & (0x7Fu >> length);
  bool good = length > 0 && lead < 0xF8;
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(at + i) & 0xC0u) == 0x80u;
    character = character << 6 | (byte(at + i) & 0x3Fu);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  good = good && character >= smallest[length] && character <= 0x10FFFF && !(character >= 0xD800 && character < 0xE000);
  at += good ? length : 1;
  return good ? character : U'\uFFFD';
}

/// As the text of XML and HTML: markup is escaped, and U+FFFD replaces characters that XML forbids.
std::string for_markup(std::string_view text);

}  // namespace headlight
