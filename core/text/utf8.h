// Decoding UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace headlight {

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

}  // namespace headlight
