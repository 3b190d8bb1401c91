// Characters as a person counts them, from the tables of utf8proc (UAX #29): a letter with its accents, a flag and a
// family of emoji are one each.
#pragma once

#include <cstddef>
#include <string_view>

namespace headlight {

/// The character at `at`, which moves past it. Bytes that are no UTF-8 are one each.
std::string_view next_grapheme(std::string_view text, std::size_t& at);

/// Cells that a terminal gives to the text: two for each wide character of East Asia, none for an accent.
std::size_t terminal_width(std::string_view text);

}  // namespace headlight
