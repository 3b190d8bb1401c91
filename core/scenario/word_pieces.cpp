// BERT's tokenizer.
#include <algorithm>
#include <fstream>
#include <optional>
#include <unordered_map>

#include "core/figure/utf8.h"
#include "core/files/blame.h"
#include "core/files/utf8_path.h"
#include "core/scenario/tokenizer.h"
#include "core/scenario/unicode.h"

namespace headlight {
namespace {

constexpr std::size_t longest_word = 100;  // characters; a longer one is [UNK], as in the original

/// As BERT has it: every ASCII sign that is no letter, digit or blank, besides Unicode's category.
bool splits_off(char32_t c) {
  const bool ascii = (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
  return ascii || is_punctuation(c) || is_ideograph(c);
}

std::string lowered_without_accents(const std::string& text) {
  std::string low;
  for (std::size_t at = 0; at < text.size();) append_utf8(low, to_lower(next_character(text, at)));
  const std::string apart = decomposed(low);
  std::string plain;
  for (std::size_t at = 0; at < apart.size();) {
    const char32_t c = next_character(apart, at);
    if (!is_mark(c)) append_utf8(plain, c);
  }
  return plain;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (c == 0 || c == 0xFFFD || (is_control(c) && !is_blank(c))) continue;
    const bool alone = splits_off(c);
    if (is_blank(c)) {
      inside = false;
      continue;
    }
    if (!inside || alone) words.emplace_back();
    append_utf8(words.back(), c);
    inside = !alone;
  }
  return words;
}

class WordPieces final : public TokenSplitter {
 public:
  explicit WordPieces(const std::filesystem::path& path) : file_(utf8_from(path)) {
    std::ifstream stream(path, std::ios::binary);
    for (std::string line; std::getline(stream, line);) {
      if (line.ends_with('\r')) line.pop_back();
      const bool special = line.starts_with('[') && line.ends_with(']');
      const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
      if (!special && std::ranges::any_of(line, is_capital)) cased_ = true;
      ids_.emplace(line, static_cast<Index>(ids_.size()));
    }
    for (const char* needed : {"[UNK]", "[CLS]", "[SEP]"}) {
      if (!ids_.contains(needed)) Blame{file_}.fail(std::string("has no ") + needed, "a token a line, as BERT's vocab.txt has them");
    }
  }

  std::vector<Token> split(std::string_view line) const override {
    std::vector<Token> tokens{named("[CLS]")};
    const std::string text(line);
    for (const std::string& word : words_of(cased_ ? text : lowered_without_accents(text))) append_word(word, tokens);
    tokens.push_back(named("[SEP]"));
    return tokens;
  }

  Token padding() const override { return named(ids_.contains("[PAD]") ? "[PAD]" : "[UNK]"); }
  std::string made_from() const override {
    return cased_ ? "vocab.txt: WordPiece" : "vocab.txt: WordPiece, in lower case, accents left out";
  }

 private:
  Token named(const std::string& piece) const { return {ids_.at(piece), piece}; }

  /// The longest piece of the vocabulary that `rest` begins with.
  std::optional<std::string> longest_piece(std::string_view rest, bool inner) const {
    for (std::size_t end = rest.size(); end > 0; --end) {
      const bool between = end == rest.size() || (static_cast<unsigned char>(rest[end]) & 0xC0u) != 0x80u;
      if (!between) continue;
      std::string piece = (inner ? "##" : "") + std::string(rest.substr(0, end));
      if (ids_.contains(piece)) return piece;
    }
    return {};
  }

  void append_word(std::string_view word, std::vector<Token>& tokens) const {
    const auto starts = std::ranges::count_if(word, [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; });
    std::vector<Token> pieces;
    for (std::size_t at = 0; at < word.size();) {
      const auto piece = static_cast<std::size_t>(starts) > longest_word ? std::nullopt : longest_piece(word.substr(at), at > 0);
      if (!piece) {
        tokens.push_back(named("[UNK]"));
        return;
      }
      pieces.push_back(named(*piece));
      at += piece->size() - (at > 0 ? 2 : 0);
    }
    tokens.insert(tokens.end(), pieces.begin(), pieces.end());
  }

  std::string file_;
  std::unordered_map<std::string, Index> ids_;
  bool cased_ = false;
};

}  // namespace

std::unique_ptr<const TokenSplitter> open_word_pieces(const std::filesystem::path& vocabulary) {
  return std::make_unique<const WordPieces>(vocabulary);
}

}  // namespace headlight
