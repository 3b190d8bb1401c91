#include "core/models/tokenizer/spelling.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/base/text/word_piece.h"
#include "core/models/tokenizer/pre_tokenizer.h"

namespace headlight {
namespace {

constexpr std::string_view blank_of_bytes = "Ġ", line_end_of_bytes = "Ċ", blank_of_meta = "▁", blank = "␣";

/// "<s>", "<|endoftext|>", "[CLS]"
bool is_special(std::string_view token) {
  return token.size() > 2 && ((token.front() == '<' && token.back() == '>') ||
                              (token.front() == '[' && token.back() == ']' && token[1] >= 'A' && token[1] <= 'Z'));
}

/// The byte of "<0xE4>".
std::optional<char> byte_named(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return {};
  unsigned byte = 0;
  const auto read = std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
  return read.ptr == token.data() + 5 ? std::optional(static_cast<char>(byte)) : std::nullopt;
}

bool is_whole_text(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t from = at;
    if (next_character(bytes, at) == U'\uFFFD' && at - from == 1) return false;
  }
  return true;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void append_drawn(std::string& to, std::string_view letter) {
  to += letter == " " ? blank : letter == "\n" || letter == "\t" ? std::string_view("␤") : letter;
}

/// Draws tokens of bytes that are read together. Returns whether every byte is part of a letter.
bool draw_together(const std::vector<std::string>& bytes, std::vector<std::string>& drawn) {
  std::string all;
  std::vector<std::size_t> token_of;  // of each byte
  for (std::size_t t = 0; t < bytes.size(); ++t) {
    all += bytes[t];
    token_of.insert(token_of.end(), bytes[t].size(), t);
  }
  drawn.assign(bytes.size(), "");
  bool whole = true;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t from = at;
    if (next_character(all, at) == U'\uFFFD' && at - from == 1) {
      char name[8];
      std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(static_cast<unsigned char>(all[from])));
      drawn[token_of[from]] += name;
      whole = false;
      continue;
    }
    const std::string_view letter = std::string_view(all).substr(from, at - from);
    const std::size_t first = token_of[from], last = token_of[at - 1], pieces = last - first + 1;
    if (pieces == 1) append_drawn(drawn[first], letter);
    for (std::size_t t = first; pieces > 1 && t <= last; ++t)
      drawn[t] += std::string(letter) + " (" + std::to_string(t - first + 1) + "/" + std::to_string(pieces) + ")";
  }
  return whole;
}

/// Draws each run of tokens that `bytes` has as one text; `sure`: also where not every byte is part of a letter.
void draw_runs(const std::vector<std::optional<std::string>>& bytes, bool sure, std::vector<std::string>& line) {
  for (std::size_t from = 0; from < line.size();) {
    std::size_t to = from;
    while (to < line.size() && bytes[to]) ++to;
    std::vector<std::string> run, drawn;
    for (std::size_t t = from; t < to; ++t) run.push_back(*bytes[t]);
    if (!run.empty() && (draw_together(run, drawn) || sure))
      std::ranges::move(drawn, line.begin() + static_cast<std::ptrdiff_t>(from));
    from = std::max(to, from + 1);
  }
}

/// Whether the tokens are bytes that spell letters beyond ASCII, as "Ã¡n" does: every one is of that alphabet.
bool spell_letters(const std::vector<std::vector<std::string>>& lines) {
  bool any = false;
  for (const auto& line : lines) {
    for (const std::string& token : line) {
      if (is_special(token) || is_ascii(token)) continue;
      const auto bytes = bytes_spelled(token);
      if (!bytes || !is_whole_text(*bytes)) return false;
      any = true;
    }
  }
  return any;
}

/// "你 (2/3)" is a later piece of a letter.
bool is_later_piece(std::string_view token) {
  const std::size_t open = token.find(" (");
  return open != std::string_view::npos && open > 0 && token.ends_with(')') && token.find('/', open) != token.npos &&
         token.substr(open + 2, 2) != "1/";
}

}  // namespace

Spelling spelling_of(const std::vector<std::vector<std::string>>& lines) {
  const auto any = [&](auto is_so) {
    return std::ranges::any_of(lines, [&](const auto& line) { return std::ranges::any_of(line, is_so); });
  };
  if (any([](const std::string& t) { return t.find(blank_of_meta) != t.npos || byte_named(t); })) return Spelling::meta;
  if (any([](const std::string& t) { return t.starts_with(blank_of_bytes) || t.starts_with(line_end_of_bytes); }))
    return Spelling::bytes;
  if (any(continues_word)) return Spelling::word_pieces;
  return spell_letters(lines) ? Spelling::bytes : Spelling::plain;
}

std::vector<std::string> as_drawn(const std::vector<std::string>& line, Spelling spelling) {
  std::vector<std::string> drawn = line;
  if (spelling != Spelling::bytes && spelling != Spelling::meta) return drawn;
  std::vector<std::optional<std::string>> bytes(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (const auto byte = byte_named(line[i]); byte && spelling == Spelling::meta) bytes[i] = std::string(1, *byte);
    else if (is_special(line[i])) continue;
    else if (spelling == Spelling::bytes) bytes[i] = bytes_spelled(line[i]);
    else drawn[i] = replaced(line[i], std::string(blank_of_meta), std::string(blank));
  }
  draw_runs(bytes, true, drawn);
  return drawn;
}

std::vector<std::string> with_letters_joined(std::vector<std::string> line) {
  std::vector<std::optional<std::string>> bytes(line.size());
  bool any = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (const auto byte = byte_named(line[i])) bytes[i] = std::string(1, *byte);
    else if (!is_ascii(line[i]) && line[i].find(blank) == std::string::npos) bytes[i] = bytes_spelled(line[i]);
    if (bytes[i] && is_whole_text(*bytes[i]) && !byte_named(line[i])) bytes[i].reset();  // a word, and no piece
    any = any || bytes[i];
  }
  if (any) draw_runs(bytes, false, line);
  return line;
}

std::vector<std::size_t> word_numbers(const std::vector<std::string>& drawn) {
  const bool blanks = std::ranges::any_of(drawn, [](const std::string& t) { return t.starts_with(blank); });
  const bool pieces = std::ranges::any_of(drawn, continues_word);
  if (!blanks && !pieces) return {};
  std::vector<std::size_t> words;
  bool alone = true;  // the token before is a word of its own
  for (const std::string& token : drawn) {
    std::size_t at = 0;
    const char32_t first = token.empty() ? U' ' : next_character(token, at);
    const bool own = is_special(token) || (at == token.size() && is_punctuation(first)) || token.starts_with("␤");
    const bool begins = pieces
                            ? !continues_word(token)
                            : token.starts_with(blank) || own || alone || is_ideograph(first) || is_punctuation(first);
    const bool continues = !words.empty() && (is_later_piece(token) || !begins);
    words.push_back(words.empty() ? 0 : words.back() + (continues ? 0 : 1));
    alone = own;
  }
  return words;
}

std::string joined_pieces(const std::vector<std::string>& drawn) {
  if (drawn.size() == 1) return drawn.front();
  std::string word;
  for (const std::string& token : drawn) {
    if (is_later_piece(token)) continue;
    const std::string piece = token.substr(0, token.find(" (1/"));
    word += word.empty() ? piece : without_mark(piece);
  }
  return word;
}

}  // namespace headlight
