#include <algorithm>

#include "core/tensor/error.h"
#include "core/tokenizer/token_model.h"

namespace headlight {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }

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
    const auto characters = static_cast<std::size_t>(std::ranges::count_if(word, begins_character));
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
      if (end < rest.size() && !begins_character(rest[end])) continue;
      std::string piece = (inner ? rules_.inner : "") + std::string(rest.substr(0, end));
      if (rules_.vocabulary.contains(piece)) return piece;
    }
    return {};
  }

  /// The beginning of `rest`, up to where a known piece starts.
  std::string_view unknown_part(std::string_view rest, bool inner) const {
    std::size_t end = 1;
    while (end < rest.size() && (!begins_character(rest[end]) || !longest_piece(rest.substr(end), inner))) ++end;
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
