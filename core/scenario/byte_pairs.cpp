// GPT-2's tokenizer.
#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "core/figure/utf8.h"
#include "core/files/blame.h"
#include "core/files/utf8_path.h"
#include "core/scenario/tokenizer.h"
#include "core/scenario/unicode.h"

namespace headlight {
namespace {

/// Bytes as characters that can be printed, as the vocabulary spells them: those that can be are themselves, the others
/// follow U+0100 on.
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

/// The text that a vocabulary's spelling stands for; a leading blank as "␣". Bytes that are no text stay spelled.
std::string readable(const std::string& spelled) {
  static const std::map<std::string, char, std::less<>> bytes = [] {
    std::map<std::string, char, std::less<>> table;
    for (std::size_t byte = 0; byte < 256; ++byte) table.emplace(spelled_bytes()[byte], static_cast<char>(byte));
    return table;
  }();
  std::string text;
  for (std::size_t at = 0; at < spelled.size();) {
    const std::size_t first = at;
    next_character(spelled, at);
    const auto found = bytes.find(spelled.substr(first, at - first));
    if (found == bytes.end()) return spelled;
    text += found->second;
  }
  if (!is_utf8(text)) return spelled;
  std::string shown;
  for (const char c : text) c == ' ' || c == '\n' || c == '\t' ? shown += (c == ' ' ? "␣" : "␤") : shown += c;
  return shown;
}

enum class Kind { letter, digit, blank, other };
Kind kind_of(char32_t c) { return is_letter(c) ? Kind::letter : is_digit(c) ? Kind::digit : is_blank(c) ? Kind::blank : Kind::other; }

/// The length of 's, 't, 're, 've, 'm, 'll or 'd at the start; 0 if none.
std::size_t contraction(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(ending)) return ending.size();
  }
  return 0;
}

/// How many bytes from the start are of one kind.
std::size_t run(std::string_view text, Kind kind) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (kind_of(next_character(text, at)) != kind) break;
    end = at;
  }
  return end;
}

/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t word_length(std::string_view text) {
  if (const std::size_t length = contraction(text)) return length;
  const std::size_t blank = text.front() == ' ' ? 1 : 0;
  for (const Kind kind : {Kind::letter, Kind::digit, Kind::other}) {
    if (const std::size_t length = run(text.substr(blank), kind)) return blank + length;
  }
  const std::size_t blanks = run(text, Kind::blank);
  if (blanks == text.size()) return blanks;
  std::size_t last = 0;  // where the last blank starts, which belongs to the word behind it
  for (std::size_t at = 0; at < blanks;) {
    last = at;
    next_character(text, at);
  }
  return last > 0 ? last : blanks;
}

class BytePairs final : public TokenSplitter {
 public:
  BytePairs(const std::filesystem::path& vocabulary, const std::filesystem::path& merges) {
    read_vocabulary(vocabulary);
    read_merges(merges);
  }

  std::vector<Token> split(std::string_view line) const override {
    std::vector<Token> tokens;
    while (!line.empty()) {
      const std::size_t length = word_length(line);
      append_word(line.substr(0, length), tokens);
      line.remove_prefix(length);
    }
    return tokens;
  }

  Token padding() const override {
    const auto end = ids_.find("<|endoftext|>");
    return {end == ids_.end() ? 0 : end->second, "<pad>"};
  }
  std::string made_from() const override { return "vocab.json and merges.txt: byte-level BPE"; }

 private:
  void read_vocabulary(const std::filesystem::path& path) {
    const Blame blame{utf8_from(path)};
    std::ifstream stream(path, std::ios::binary);
    const auto json = nlohmann::json::parse(stream, nullptr, false);
    if (!json.is_object()) blame.fail("no JSON object", "{\"token\": id, …}");
    for (const auto& [token, id] : json.items()) {
      if (!id.is_number_unsigned()) blame.fail("the id of " + in_quotes(token) + " is no whole number");
      ids_.emplace(token, id.get<Index>());
    }
  }

  void read_merges(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    for (std::string line; std::getline(stream, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (line.empty() || line.starts_with("#version")) continue;
      if (line.find(' ') == std::string::npos) Blame{utf8_from(path)}.fail("the line " + in_quotes(line) + " has no blank", "two pieces that are joined");
      ranks_.emplace(line, ranks_.size());
    }
  }

  /// Joins the pair that comes first in the list, until none is in it.
  void append_word(std::string_view word, std::vector<Token>& tokens) const {
    std::vector<std::string> pieces;
    for (const char c : word) pieces.push_back(spelled_bytes()[static_cast<unsigned char>(c)]);
    while (pieces.size() > 1) {
      std::size_t best = 0, best_rank = std::numeric_limits<std::size_t>::max();
      for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
        const auto rank = ranks_.find(pieces[i] + ' ' + pieces[i + 1]);
        if (rank != ranks_.end() && rank->second < best_rank) best = i, best_rank = rank->second;
      }
      if (best_rank == std::numeric_limits<std::size_t>::max()) break;
      join(pieces, pieces[best], pieces[best + 1]);
    }
    for (const std::string& piece : pieces) {
      const auto id = ids_.find(piece);
      if (id == ids_.end()) Blame{"vocab.json"}.fail("has no token " + in_quotes(piece), "every byte and every merge to have one");
      tokens.push_back({id->second, readable(piece)});
    }
  }

  /// Everywhere in the word, from the left.
  static void join(std::vector<std::string>& pieces, const std::string first, const std::string second) {
    std::vector<std::string> joined;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool here = i + 1 < pieces.size() && pieces[i] == first && pieces[i + 1] == second;
      joined.push_back(here ? first + second : pieces[i]);
      if (here) ++i;
    }
    pieces = std::move(joined);
  }

  std::unordered_map<std::string, Index> ids_;
  std::unordered_map<std::string, std::size_t> ranks_;
};

}  // namespace

std::unique_ptr<const TokenSplitter> open_byte_pairs(const std::filesystem::path& vocabulary, const std::filesystem::path& merges) {
  return std::make_unique<const BytePairs>(vocabulary, merges);
}

}  // namespace headlight
