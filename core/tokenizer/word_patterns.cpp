// The patterns that GPT-2 and GPT-4 cut words by, without an engine for regular expressions.
#include <algorithm>

#include "core/text/unicode.h"
#include "core/text/utf8.h"
#include "core/tokenizer/pre_tokenizer.h"

namespace headlight {
namespace {

enum class Kind { letter, digit, blank, other };
Kind kind_of(char32_t c) {
  return is_letter(c) ? Kind::letter : is_digit(c) ? Kind::digit : is_blank(c) ? Kind::blank : Kind::other;
}

/// The length of 's, 't, 're, 've, 'm, 'll or 'd at the start; 0 if none.
std::size_t contraction(std::string_view text, bool any_case) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    const auto same = [&](char wanted, char c) {
      return wanted == (any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
    };
    if (text.size() >= ending.size() && std::ranges::equal(ending, text.substr(0, ending.size()), same))
      return ending.size();
  }
  return 0;
}

/// How many bytes from the start are of one kind, `most` characters of them.
std::size_t run(std::string_view text, Kind kind, std::size_t most = std::string_view::npos) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size() && most > 0; --most) {
    if (kind_of(next_character(text, at)) != kind) break;
    end = at;
  }
  return end;
}

bool breaks_line(char c) { return c == '\n' || c == '\r'; }

std::size_t line_breaks(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, breaks_line) - text.begin());
}

/// \s+(?!\S)|\s+: the last of several blanks belongs to the word behind them.
std::size_t blank_word(std::string_view text) {
  const std::size_t blanks = run(text, Kind::blank);
  if (blanks == text.size()) return blanks;
  std::size_t last = 0;
  for (std::size_t at = 0; at < blanks;) {
    last = at;
    next_character(text, at);
  }
  return last > 0 ? last : blanks;
}

/// [^\r\n\p{L}\p{N}]?\p{L}+
std::size_t letters_after_one(std::string_view text) {
  if (const std::size_t letters = run(text, Kind::letter)) return letters;
  std::size_t first = 0;
  if (breaks_line(text.front()) || kind_of(next_character(text, first)) == Kind::digit) return 0;
  const std::size_t letters = run(text.substr(first), Kind::letter);
  return letters > 0 ? first + letters : 0;
}

}  // namespace

std::size_t gpt2_word(std::string_view text) {
  if (const std::size_t length = contraction(text, false)) return length;
  const std::size_t blank = text.front() == ' ' ? 1 : 0;
  for (const Kind kind : {Kind::letter, Kind::digit, Kind::other}) {
    if (const std::size_t length = run(text.substr(blank), kind)) return blank + length;
  }
  return blank_word(text);
}

std::size_t gpt4_word(std::string_view text, std::size_t most_digits) {
  if (const std::size_t length = contraction(text, true)) return length;
  if (const std::size_t length = letters_after_one(text)) return length;
  if (const std::size_t length = run(text, Kind::digit, most_digits)) return length;
  const std::size_t blank = text.front() == ' ' ? 1 : 0;
  if (const std::size_t length = run(text.substr(blank), Kind::other))
    return blank + length + line_breaks(text.substr(blank + length));
  const std::string_view blanks = text.substr(0, run(text, Kind::blank));
  const std::size_t last_break = blanks.find_last_of("\r\n");
  return last_break != std::string_view::npos ? last_break + 1 : blank_word(text);
}

}  // namespace headlight
