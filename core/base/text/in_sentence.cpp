#include "core/base/text/in_sentence.h"

#include <algorithm>
#include <utility>

#include "core/base/text/unicode.h"
#include "core/base/text/word_piece.h"

namespace headlight {
namespace {

/// "6,1": row and column.
bool names_patch(std::string_view word) {
  const std::size_t comma = word.find(',');
  const auto is_number = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  return comma != std::string_view::npos && is_number(word.substr(0, comma)) && is_number(word.substr(comma + 1));
}

/// Also the signs that stand for a blank and a line break: ␣, ␊.
bool is_sign(char32_t c) {
  if (c < 0x80) return !is_letter(c);
  return is_punctuation(c) || is_digit(c) || is_blank(c) || (c >= U'\u2400' && c <= U'\u243F');
}

}  // namespace

std::string in_sentence(std::string word) {
  if (word.empty() || names_patch(word)) return word;
  if (continues_word(word)) return "…" + without_mark(std::move(word));
  for (std::size_t at = 0; at < word.size();) {
    if (!is_sign(next_character(word, at))) return word;
  }
  return "“" + word + "”";
}

}  // namespace headlight
