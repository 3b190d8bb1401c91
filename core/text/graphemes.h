// User-perceived characters, from the tables of utf8proc (UAX #29): a letter with its accents, a flag, and a family
// emoji are one each.
#pragma once

#include <cstddef>
#include <string_view>

namespace headlight {

/// Returns the character at `at` and advances it. Invalid UTF-8 counts byte by byte.
std::string_view next_grapheme(std::string_view text, std::size_t& at);

/// Terminal columns of the text: two for wide East Asian characters, none for combining marks.
std::size_t terminal_width(std::string_view text);

}  // namespace headlight
