// Words that are looked up, whole or the longest piece first; and the error for a word that is missing.

#include <algorithm>
#include <cctype>
#include <tuple>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/models/tokenizer/token_model.h"

namespace headlight {
namespace {

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  for (std::size_t at = 0; at < text.size();) characters += next_character(text, at);
  return characters;
}

/// The number of edits between two words: a letter changed, left out or added, or two neighbours swapped (Damerau
/// 1964).
std::size_t edits_between(const std::u32string& a, const std::u32string& b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

class WordModel final : public TokenModel {
 public:
  explicit WordModel(WordRules rules) : rules_(std::move(rules)) {}

  void append(std::string_view word, std::vector<Token>& tokens) const override {
    if (const auto found = rules_.vocabulary.find(std::string(word)); found != rules_.vocabulary.end()) {
      tokens.push_back({found->second, found->first});
    } else if (const auto unknown = rules_.vocabulary.find(rules_.unknown); unknown != rules_.vocabulary.end()) {
      tokens.push_back({unknown->second, unknown->first});
    } else {
      fail_unknown(rules_.vocabulary, word);
    }
  }

  std::optional<std::string> text_of(Index id) const override { return spelled(rules_.vocabulary, id); }
  Index last_id() const override { return headlight::last_id(rules_.vocabulary); }

 private:
  WordRules rules_;
};

}  // namespace

std::optional<std::string> spelled(const Vocabulary& vocabulary, Index id) {
  const auto found = std::ranges::find(vocabulary, id, &Vocabulary::value_type::second);
  return found == vocabulary.end() ? std::nullopt : std::optional(found->first);
}

Index last_id(const Vocabulary& vocabulary) {
  Index last = -1;
  for (const auto& [text, id] : vocabulary) last = std::max(last, id);
  return last;
}

std::unique_ptr<const TokenModel> word_model(WordRules rules) {
  return std::make_unique<const WordModel>(std::move(rules));
}

std::vector<std::string> nearest_words(const Vocabulary& vocabulary, std::string_view word, std::size_t count) {
  constexpr std::size_t most_compared = 64;  // characters; the rest of a longer word is not compared
  const std::u32string wanted = characters_of(word).substr(0, most_compared);
  std::vector<std::tuple<double, Index, std::string>> near;
  for (const auto& [known, id] : vocabulary) {
    const std::u32string letters = characters_of(known).substr(0, most_compared);
    const auto [first_difference, unused] = std::mismatch(letters.begin(), letters.end(), wanted.begin(), wanted.end());
    const std::size_t edits = edits_between(letters, wanted);
    if (edits >= std::max(letters.size(), wanted.size())) continue;  // nothing in common
    near.emplace_back(static_cast<double>(edits) - 0.5 * static_cast<double>(first_difference - letters.begin()), id,
                      known);
  }
  std::ranges::sort(near);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(count, near.size()); ++i) words.push_back(std::get<2>(near[i]));
  return words;
}

void fail_unknown(const Vocabulary& vocabulary, std::string_view word) {
  std::vector<std::string> near = nearest_words(vocabulary, word, 3);
  const bool any = !near.empty();
  if (!any) {
    std::vector<std::pair<Index, std::string>> listed;
    for (const auto& [known, id] : vocabulary) {
      const auto first = static_cast<unsigned char>(known.empty() ? '\0' : known.front());
      if (std::isalpha(first) != 0 || first >= 0x80) listed.emplace_back(id, known);  // words only
    }
    std::ranges::sort(listed);
    for (std::size_t i = 0; i < listed.size() && near.size() < 3; i += listed.size() / 3)
      near.push_back(listed[i].second);
  }
  const std::string list = comma_list(near, [](const std::string& known) { return in_quotes(known).english(); });
  throw SettingError(
      "--text", Message("{0} is not among the {1} words that this model knows", in_quotes(word), vocabulary.size()),
      Message(any ? "the nearest are {0}" : "it knows words such as {0}", list));
}

namespace {

constexpr std::size_t most_characters = 1000;  ///< of a word: the time grows with the square of its length

class PieceModel final : public TokenModel {
 public:
  explicit PieceModel(PieceRules rules) : rules_(std::move(rules)) {
    for (const auto& [piece, id] : rules_.vocabulary) {
      lengths_.push_back(piece.size());
      if (piece.starts_with(rules_.inner)) lengths_.push_back(piece.size() - rules_.inner.size());
    }
    std::ranges::sort(lengths_, std::ranges::greater());
    lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
  }

  void append(std::string_view word, std::vector<Token>& tokens) const override {
    const auto characters = static_cast<std::size_t>(std::ranges::count(word, false, continues_character));
    if (characters > most_characters && characters <= rules_.longest_word) {
      throw SettingError("--text", Message("a word has {0} characters", characters),
                         Message("expected at most {0} between blanks", most_characters));
    }
    std::vector<Token> pieces;
    for (std::size_t at = 0; at < word.size();) {
      const auto piece = characters > rules_.longest_word ? std::nullopt : longest_piece(word.substr(at), at > 0);
      if (!piece) {
        if (!rules_.vocabulary.contains(rules_.unknown))
          fail_unknown(rules_.vocabulary, unknown_part(word.substr(at), at > 0));
        tokens.push_back(named(rules_.unknown));
        return;
      }
      pieces.push_back(named(*piece));
      at += piece->size() - (at > 0 ? rules_.inner.size() : 0);
    }
    tokens.insert(tokens.end(), pieces.begin(), pieces.end());
  }

  std::optional<std::string> text_of(Index id) const override { return spelled(rules_.vocabulary, id); }
  Index last_id() const override { return headlight::last_id(rules_.vocabulary); }

 private:
  Token named(const std::string& piece) const { return {rules_.vocabulary.at(piece), piece}; }

  /// The longest piece of the vocabulary that `rest` begins with.
  std::optional<std::string> longest_piece(std::string_view rest, bool inner) const {
    for (const std::size_t end : lengths_) {
      if (end == 0 || end > rest.size()) continue;
      if (end < rest.size() && continues_character(rest[end])) continue;
      std::string piece = (inner ? rules_.inner : "") + std::string(rest.substr(0, end));
      if (rules_.vocabulary.contains(piece)) return piece;
    }
    return {};
  }

  /// The beginning of `rest`, up to where a known piece starts.
  std::string_view unknown_part(std::string_view rest, bool inner) const {
    std::size_t end = 1;
    while (end < rest.size() && (continues_character(rest[end]) || !longest_piece(rest.substr(end), inner))) ++end;
    return rest.substr(0, end);
  }

  PieceRules rules_;
  std::vector<std::size_t> lengths_;  ///< distinct lengths of the pieces in bytes, the largest first
};

}  // namespace

std::unique_ptr<const TokenModel> piece_model(PieceRules rules) {
  return std::make_unique<const PieceModel>(std::move(rules));
}

}  // namespace headlight
