#include "core/models/tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/base/files/error_place.h"
#include "core/base/text/unicode.h"
#include "core/models/tokenizer/normalizer.h"

namespace headlight {
namespace {

/// GPT-2's printable character for each byte: a printable byte stays itself, the others become U+0100, U+0101, …
const std::array<std::string, 256>& byte_spellings() {
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

/// BERT's punctuation: Unicode's, and all symbols of ASCII.
bool is_bert_punctuation(char32_t c) {
  const bool ascii = (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
  return ascii || is_punctuation(c);
}

/// A part of the text, and whether it matches.
struct Segment {
  std::size_t start = 0, end = 0;
  bool matches = false;
};

/// Cuts a text of `size` bytes into the matches and the parts between them.
std::vector<Segment> parts_of(const Stretches& found, std::size_t size, bool inverted) {
  std::vector<Segment> parts;
  std::size_t at = 0;
  for (const auto& [start, end] : found) {
    if (at != start) parts.push_back({at, start, inverted});
    parts.push_back({start, end, !inverted});
    at = end;
  }
  if (at != size) parts.push_back({at, size, inverted});
  return parts;
}

/// Joins each match with the part before it; with `contiguous`, neighbours that both match or both do not. On a
/// reversed list a match is joined with the part after it.
std::vector<Segment> merged(const std::vector<Segment>& parts, bool contiguous) {
  std::vector<Segment> made;
  bool last = false;
  for (const Segment& part : parts) {
    const bool joins = contiguous ? part.matches == last : part.matches && !last;
    if (joins && !made.empty()) {
      made.back().start = std::min(made.back().start, part.start);
      made.back().end = std::max(made.back().end, part.end);
    } else {
      made.push_back(part);
    }
    last = part.matches;
  }
  return made;
}

}  // namespace

Matcher each_character_that(bool (*is)(char32_t)) {
  return [is](std::string_view text) {
    Stretches found;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t start = at;
      if (is(next_character(text, at))) found.emplace_back(start, at);
    }
    return found;
  };
}

Matcher each_place_of(std::string part) {
  return [part = std::move(part)](std::string_view text) {
    Stretches found;
    for (std::size_t at = 0; !part.empty() && (at = text.find(part, at)) != std::string_view::npos; at += part.size())
      found.emplace_back(at, at + part.size());
    return found;
  };
}

Matcher each_match(TextPattern pattern) {
  return [pattern = std::move(pattern)](std::string_view text) { return pattern.matches(text); };
}

PreTokenizer splitting(Matcher matcher, Cut cut, bool inverted) {
  return [matcher = std::move(matcher), cut, inverted](const TextPiece& piece) {
    std::vector<Segment> parts = parts_of(matcher(piece.text), piece.text.size(), inverted);
    if (cut == Cut::removed) std::erase_if(parts, [](const Segment& part) { return part.matches; });
    if (cut == Cut::contiguous || cut == Cut::merged_with_previous) parts = merged(parts, cut == Cut::contiguous);
    if (cut == Cut::merged_with_next) {
      std::ranges::reverse(parts);
      parts = merged(parts, false);
      std::ranges::reverse(parts);
    }
    std::vector<TextPiece> words;
    for (const auto& [start, end, matches] : parts) {
      if (start < end) words.push_back({piece.text.substr(start, end - start), piece.first && start == 0});
    }
    return words;
  };
}

std::string llama3_words(int most_digits) {
  return R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,)" + std::to_string(most_digits) +
         R"(}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
}

std::vector<std::string> deepseek3_words() {
  return {
      R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+",
      R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
}

PreTokenizer words_by(const std::string& expression) {
  return splitting(each_match(TextPattern(expression, {"tokenizer"})), Cut::isolated);
}

std::string spelled_bytes(std::string_view bytes) {
  std::string all;
  for (const char c : bytes) all += byte_spellings()[static_cast<unsigned char>(c)];
  return all;
}

PreTokenizer byte_level(bool blank_first, bool into_words) {
  static const PreTokenizer words = words_by(gpt2_words);
  return [blank_first, into_words](const TextPiece& piece) {
    TextPiece whole = piece;
    if (blank_first && !whole.text.starts_with(' ')) whole.text.insert(0, 1, ' ');
    std::vector<TextPiece> pieces = into_words ? words(whole) : std::vector{whole};
    for (TextPiece& word : pieces) word.text = spelled_bytes(word.text);
    return pieces;
  };
}

PreTokenizer signs_apart() {
  // \w of Unicode TS 18, as in Rust's regular expressions.
  static const std::string word =
      R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200C}\x{200D}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})";
  static const PreTokenizer words =
      splitting(each_match(TextPattern("[" + word + "]+|[^\\s" + word + "]+", {"tokenizer"})), Cut::removed, true);
  return words;
}

PreTokenizer between_blanks() { return splitting(each_character_that(is_blank), Cut::removed); }

PreTokenizer punctuation(Cut cut) { return splitting(each_character_that(is_bert_punctuation), cut); }

PreTokenizer metaspace(std::string mark, MarkFirst in_front, bool split) {
  const Normalizer marked = replacing(" ", mark);
  const PreTokenizer words = splitting(each_place_of(mark), Cut::merged_with_next);
  return [mark = std::move(mark), in_front, split, marked, words](const TextPiece& piece) {
    TextPiece whole{marked(piece.text), piece.first};
    const bool wanted = in_front == MarkFirst::always || (in_front == MarkFirst::first && piece.first);
    if (wanted && !whole.text.starts_with(mark)) whole.text.insert(0, mark);
    return split ? words(whole) : std::vector{whole};
  };
}

std::optional<std::string> bytes_spelled(const std::string& spelled_text) {
  static const std::map<std::string, char, std::less<>> bytes = [] {
    std::map<std::string, char, std::less<>> table;
    for (std::size_t byte = 0; byte < 256; ++byte) table.emplace(byte_spellings()[byte], static_cast<char>(byte));
    return table;
  }();
  std::string text;
  for (std::size_t at = 0; at < spelled_text.size();) {
    const std::size_t first = at;
    next_character(spelled_text, at);
    const auto found = bytes.find(spelled_text.substr(first, at - first));
    if (found == bytes.end()) return {};
    text += found->second;
  }
  return text;
}

std::string readable_bytes(const std::string& spelled_text) {
  const std::optional<std::string> text = bytes_spelled(spelled_text);
  if (!text || !is_utf8(*text)) return spelled_text;
  std::string shown;
  for (const char c : *text) c == ' ' || c == '\n' || c == '\t' ? shown += (c == ' ' ? "␣" : "␤") : shown += c;
  return shown;
}

}  // namespace headlight
