#include <algorithm>

#include "core/tokenizer/token_model.h"

namespace headlight {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }

class PieceModel final : public TokenModel {
 public:
  explicit PieceModel(PieceRules rules) : rules_(std::move(rules)) {
    for (const auto& [piece, id] : rules_.vocabulary) longest_ = std::max(longest_, piece.size());
  }

  void append(std::string_view word, std::vector<Token>& tokens) const override {
    const auto characters = static_cast<std::size_t>(std::ranges::count_if(word, begins_character));
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
    for (std::size_t end = std::min(rest.size(), longest_); end > 0; --end) {
      if (end < rest.size() && !begins_character(rest[end])) continue;
      std::string piece = (inner ? rules_.inner : "") + std::string(rest.substr(0, end));
      if (rules_.vocabulary.contains(piece)) return piece;
    }
    return {};
  }

  /// `rest` up to where a piece begins again.
  std::string_view unknown_part(std::string_view rest, bool inner) const {
    std::size_t end = 1;
    while (end < rest.size() && (!begins_character(rest[end]) || !longest_piece(rest.substr(end), inner))) ++end;
    return rest.substr(0, end);
  }

  PieceRules rules_;
  std::size_t longest_ = 0;  ///< piece, in bytes
};

}  // namespace

std::unique_ptr<const TokenModel> piece_model(PieceRules rules) {
  return std::make_unique<const PieceModel>(std::move(rules));
}

}  // namespace headlight
