#include "core/text/graphemes.h"

#include <utf8proc.h>

#include "core/text/utf8.h"

namespace headlight {

std::string_view next_grapheme(std::string_view text, std::size_t& at) {
  const std::size_t first = at;
  char32_t last = next_character(text, at);
  utf8proc_int32_t state = 0;
  while (at < text.size()) {
    std::size_t next = at;
    const char32_t c = next_character(text, next);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(last), static_cast<utf8proc_int32_t>(c), &state))
      break;
    at = next;
    last = c;
  }
  return text.substr(first, at - first);
}

std::size_t terminal_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();)
    width += static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(next_character(text, at))));
  return width;
}

}  // namespace headlight
