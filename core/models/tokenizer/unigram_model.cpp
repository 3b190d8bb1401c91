// Unigram language models of SentencePiece (Kudo 2018): a text is cut so that the sum of its pieces' scores is largest.
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/unicode.h"
#include "core/models/tokenizer/token_model.h"

namespace headlight {
namespace {

class UnigramModel final : public TokenModel {
 public:
  UnigramModel(UnigramRules rules, const std::string& file) : rules_(std::move(rules)) {
    if (rules_.unknown && *rules_.unknown >= std::ssize(rules_.pieces))
      ErrorPlace{file}.fail("its unk_id is no piece", Message("0 to {0}", rules_.pieces.size() - 1));
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rules_.pieces.size(); ++i) {
      const UnigramRules::Piece& piece = rules_.pieces[i];
      ids_.insert_or_assign(piece.text, static_cast<Index>(i));
      if (piece.kind == UnigramRules::Kind::usual) {
        least_ = std::min(least_, piece.score);
        largest = std::max(largest, piece.score);
      }
      if (piece.kind != UnigramRules::Kind::apart && !piece.text.empty()) sorted_.push_back(i);
    }
    // A user-defined piece wins over all other pieces that make the same text.
    for (UnigramRules::Piece& piece : rules_.pieces) {
      if (piece.kind == UnigramRules::Kind::kept) piece.score = static_cast<double>(piece.text.size()) * largest - 0.1;
    }
    std::ranges::sort(sorted_, {}, [&](std::size_t i) -> const std::string& { return rules_.pieces[i].text; });
  }

  void append(std::string_view word, std::vector<Token>& tokens) const override {
    std::string unknown;  // neighbouring characters without a piece are one unknown token
    for (const Step& step : best_cut(word)) {
      const std::string part(word.substr(step.start, step.end - step.start));
      if (step.piece < 0 || step.piece == rules_.unknown) {
        unknown += part;
        continue;
      }
      append_unknown(std::exchange(unknown, {}), tokens);
      tokens.push_back({ids_.at(part), part});
    }
    append_unknown(unknown, tokens);
  }

  std::optional<std::string> text_of(Index id) const override {
    if (id < 0 || id >= std::ssize(rules_.pieces)) return {};
    return rules_.pieces[static_cast<std::size_t>(id)].text;
  }
  Index last_id() const override { return std::ssize(rules_.pieces) - 1; }

 private:
  /// The last piece of the best way to cut the text up to `end`.
  struct Step {
    std::size_t start = 0, end = 0;
    Index piece = -1;  ///< −1: a character without a piece
    double score = 0;
    bool reached = false;
  };

  /// Calls what(length, piece) for each piece that the text begins with, the shortest first.
  template <typename What>
  void each_prefix(std::string_view text, What what) const {
    auto first = sorted_.begin(), last = sorted_.end();
    const auto text_at = [&](std::size_t i) -> const std::string& { return rules_.pieces[i].text; };
    for (std::size_t length = 1; length <= text.size() && first != last; ++length) {
      const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text_at(i)[length - 1]); };
      while (first != last && text_at(*first).size() < length) ++first;
      std::tie(first, last) =
          std::pair(std::ranges::lower_bound(first, last, static_cast<unsigned char>(text[length - 1]), {}, byte),
                    std::ranges::upper_bound(first, last, static_cast<unsigned char>(text[length - 1]), {}, byte));
      for (auto at = first; at != last && text_at(*at).size() == length; ++at) what(length, static_cast<Index>(*at));
    }
  }

  /// Viterbi's algorithm: finds the best last piece up to each character's end, then follows them back from the last
  /// one.
  std::vector<Step> best_cut(std::string_view word) const {
    constexpr double unknown_penalty = 10;
    std::vector<Step> best(word.size() + 1);
    const auto offer = [&](std::size_t start, std::size_t end, Index piece, double score) {
      double sum = best[start].score + score;
      if (rules_.single) sum = static_cast<double>(static_cast<float>(sum));
      if (!best[end].reached || sum > best[end].score) best[end] = {start, end, piece, sum, true};
    };
    for (std::size_t at = 0; at < word.size();) {
      std::size_t next = at;
      next_character(word, next);
      bool whole_character = false;
      each_prefix(word.substr(at), [&](std::size_t length, Index piece) {
        const Index id = ids_.at(rules_.pieces[static_cast<std::size_t>(piece)].text);
        offer(at, at + length, id, rules_.pieces[static_cast<std::size_t>(id)].score);
        whole_character = whole_character || at + length == next;
      });
      if (!whole_character) offer(at, next, -1, least_ - unknown_penalty);
      at = next;
    }
    std::vector<Step> steps;
    for (std::size_t end = word.size(); end > 0; end = best[end].start) steps.push_back(best[end]);
    std::ranges::reverse(steps);
    return steps;
  }

  void append_unknown(const std::string& text, std::vector<Token>& tokens) const {
    if (text.empty()) return;
    std::vector<Token> bytes;
    for (const char c : text) {
      const auto found = rules_.bytes ? ids_.find(byte_token(c)) : ids_.end();
      if (found == ids_.end()) break;
      bytes.push_back({found->second, found->first});
    }
    if (bytes.size() == text.size()) {
      tokens.insert(tokens.end(), bytes.begin(), bytes.end());
    } else if (const auto found = ids_.find(text); found != ids_.end()) {
      tokens.push_back({found->second, text});
    } else if (rules_.unknown) {
      tokens.push_back({*rules_.unknown, rules_.pieces[static_cast<std::size_t>(*rules_.unknown)].text});
    } else {
      fail_unknown(ids_, text);
    }
  }

  UnigramRules rules_;
  Vocabulary ids_;
  std::vector<std::size_t> sorted_;                         ///< pieces that a text can hold, sorted by their bytes
  double least_ = std::numeric_limits<double>::infinity();  ///< lowest score of a usual piece
};

}  // namespace

std::unique_ptr<const TokenModel> unigram_model(UnigramRules rules, const std::string& file) {
  return std::make_unique<const UnigramModel>(std::move(rules), file);
}

}  // namespace headlight
