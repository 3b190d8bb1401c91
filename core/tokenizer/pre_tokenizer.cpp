#include "core/tokenizer/pre_tokenizer.h"

#include <array>
#include <map>
#include <utility>

#include "core/files/error_place.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"
#include "core/tokenizer/normalizer.h"

namespace headlight {
namespace {

/// Bytes as characters that can be printed: those that can be are themselves, the others follow U+0100 on.
const std::array<std::string, 256>& spelled_bytes() {
  static const std::array<std::string, 256> table = [] {
    std::array<std::string, 256> spelled;
    char32_t next = 0x100;
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const bool plain = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      append_utf8(spelled[byte], plain ? static_cast<char32_t>(byte) : next++);
    }
    return spelled;
  }();
  return table;
}

std::string spelled(const std::string& text) {
  std::string all;
  for (const char c : text) all += spelled_bytes()[static_cast<unsigned char>(c)];
  return all;
}

/// As BERT has it: every ASCII sign that is no letter, digit or blank, besides Unicode's category.
bool splits_off(char32_t c) {
  const bool ascii = (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
  return ascii || is_punctuation(c);
}

bool begins_blank(const std::string& text) {
  std::size_t at = 0;
  return !text.empty() && is_blank(next_character(text, at));
}

}  // namespace

PreTokenizer words_by(WordLength length) {
  return [length = std::move(length)](const TextPiece& piece) {
    std::vector<TextPiece> words;
    for (std::string_view rest = piece.text; !rest.empty();) {
      const std::size_t end = length(rest);
      words.push_back({std::string(rest.substr(0, end)), piece.first && words.empty()});
      rest.remove_prefix(end);
    }
    return words;
  };
}

PreTokenizer byte_level(bool blank_first, bool into_words) {
  const PreTokenizer words = words_by(gpt2_word);
  return [blank_first, into_words, words](const TextPiece& piece) {
    TextPiece whole = piece;
    if (blank_first && !begins_blank(whole.text)) whole.text.insert(0, 1, ' ');
    std::vector<TextPiece> pieces = into_words ? words(whole) : std::vector{whole};
    for (TextPiece& word : pieces) word.text = spelled(word.text);
    return pieces;
  };
}

namespace {

/// Cut at blanks, and where the kind of a character, as `kind` numbers it, changes.
PreTokenizer by_kind(int (*kind)(char32_t)) {
  return [kind](const TextPiece& piece) {
    std::vector<TextPiece> words;
    int last = -1;
    for (std::size_t at = 0; at < piece.text.size();) {
      const char32_t c = next_character(piece.text, at);
      const int now = is_blank(c) ? -1 : kind(c);
      if (now >= 0 && now != last) words.push_back({{}, piece.first && words.empty()});
      if (now >= 0) append_utf8(words.back().text, c);
      last = now;
    }
    return words;
  };
}

}  // namespace

PreTokenizer signs_apart() {
  return by_kind([](char32_t c) { return is_word_character(c) ? 1 : 0; });
}

PreTokenizer between_blanks() {
  return by_kind([](char32_t) { return 0; });
}

PreTokenizer bert_words() {
  return [](const TextPiece& piece) {
    std::vector<TextPiece> words;
    bool inside = false;
    for (std::size_t at = 0; at < piece.text.size();) {
      const char32_t c = next_character(piece.text, at);
      if (is_blank(c)) {
        inside = false;
        continue;
      }
      const bool alone = splits_off(c);
      if (!inside || alone) words.push_back({{}, piece.first && words.empty()});
      append_utf8(words.back().text, c);
      inside = !alone;
    }
    return words;
  };
}

PreTokenizer metaspace(std::string mark, MarkFirst in_front, bool split) {
  const Normalizer marked = replacing(" ", mark);
  return [mark = std::move(mark), in_front, split, marked](const TextPiece& piece) {
    std::string text = marked(piece.text);
    const bool wanted = in_front == MarkFirst::always || (in_front == MarkFirst::first && piece.first);
    if (wanted && !text.starts_with(mark)) text.insert(0, mark);
    std::vector<TextPiece> words;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end =
          split ? std::min(rest.find(mark, rest.starts_with(mark) ? mark.size() : 0), rest.size()) : rest.size();
      words.push_back({std::string(rest.substr(0, end)), piece.first && words.empty()});
      rest.remove_prefix(end);
    }
    return words;
  };
}

std::string readable_bytes(const std::string& spelled_text) {
  static const std::map<std::string, char, std::less<>> bytes = [] {
    std::map<std::string, char, std::less<>> table;
    for (std::size_t byte = 0; byte < 256; ++byte) table.emplace(spelled_bytes()[byte], static_cast<char>(byte));
    return table;
  }();
  std::string text;
  for (std::size_t at = 0; at < spelled_text.size();) {
    const std::size_t first = at;
    next_character(spelled_text, at);
    const auto found = bytes.find(spelled_text.substr(first, at - first));
    if (found == bytes.end()) return spelled_text;
    text += found->second;
  }
  if (!is_utf8(text)) return spelled_text;
  std::string shown;
  for (const char c : text) c == ' ' || c == '\n' || c == '\t' ? shown += (c == ' ' ? "␣" : "␤") : shown += c;
  return shown;
}

}  // namespace headlight
