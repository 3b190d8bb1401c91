#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "core/base/files/error_place.h"
#include "core/base/text/unicode.h"
#include "core/models/tokenizer/token_model.h"

namespace headlight {
namespace {

struct Merge {
  std::size_t rank = 0;
  Index made = 0;
};

std::uint64_t key_of(Index first, Index second) {
  return (static_cast<std::uint64_t>(first) << 32) | static_cast<std::uint64_t>(second);
}

class PairModel final : public TokenModel {
 public:
  PairModel(PairRules rules, const std::string& file) : rules_(std::move(rules)) {
    for (const auto& [text, id] : rules_.vocabulary) texts_.emplace(id, text);
    first_letter_ = last_id() + 1;
    const auto id_of = [&](const std::string& text) {
      const auto found = rules_.vocabulary.find(text);
      if (found == rules_.vocabulary.end() && !rules_.ranks.empty() && is_letter(text)) {
        const auto [letter, is_new] = letters_.emplace(text, first_letter_ + static_cast<Index>(letters_.size()));
        if (is_new) texts_.emplace(letter->second, text);
        return letter->second;
      }
      if (found == rules_.vocabulary.end())
        ErrorPlace{file}.fail(Message("has no token {0}, which its merges name", in_quotes(text)),
                              "every merge's parts and result in the vocabulary");
      return found->second;
    };
    for (std::size_t rank = 0; rank < rules_.merges.size(); ++rank) {
      const auto& [first, second] = rules_.merges[rank];
      const std::string joined =
          first + (second.starts_with(rules_.inner) ? second.substr(rules_.inner.size()) : second);
      merges_.insert_or_assign(key_of(id_of(first), id_of(second)),
                               Merge{rules_.ranks.empty() ? rank : rules_.ranks[rank], id_of(joined)});
    }
    if (rules_.unknown) unknown_ = id_of(*rules_.unknown);
  }

  void append(std::string_view word, std::vector<Token>& tokens) const override {
    const auto whole = rules_.whole_words ? rules_.vocabulary.find(std::string(word)) : rules_.vocabulary.end();
    std::vector<Index> ids = whole != rules_.vocabulary.end() ? std::vector{whole->second} : characters_of(word);
    join(ids);
    replace_letters(ids);
    for (const Index id : ids) tokens.push_back({id, texts_.at(id)});
  }

  std::optional<std::string> text_of(Index id) const override {
    const auto found = texts_.find(id);
    const bool is_token = found != texts_.end() && id < first_letter_;
    return is_token ? std::optional(found->second) : std::nullopt;
  }

  Index last_id() const override {
    Index last = -1;
    for (const auto& [text, id] : rules_.vocabulary) last = std::max(last, id);
    return last;
  }

 private:
  static bool is_letter(const std::string& text) {
    std::size_t end = 0;
    next_character(text, end);
    return end == text.size();
  }

  /// What a letter becomes that is no token and that no merge has joined: its bytes, or the unknown token.
  void replace_letters(std::vector<Index>& ids) const {
    if (letters_.empty()) return;
    std::vector<Index> replaced;
    for (const Index id : ids) {
      const bool is_letter = id >= first_letter_;
      if (is_letter && ((rules_.bytes && append_bytes(texts_.at(id), replaced)) || !unknown_)) continue;
      const Index made = is_letter ? *unknown_ : id;
      const bool joins = made == unknown_ && rules_.join_unknown && !replaced.empty() && replaced.back() == made;
      if (!joins) replaced.push_back(made);
    }
    ids = std::move(replaced);
  }

  std::vector<Index> characters_of(std::string_view word) const {
    std::vector<Index> ids;
    bool pending = false;  // an unknown token that further unknown characters may join
    const auto end_unknown = [&] {
      if (std::exchange(pending, false)) ids.push_back(*unknown_);
    };
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t first = at;
      if (const std::string* kept = kept_at(word.substr(at))) {
        end_unknown();
        ids.push_back(rules_.vocabulary.at(*kept));
        at += kept->size();
        continue;
      }
      next_character(word, at);
      const std::string character = (first > 0 ? rules_.inner : "") + std::string(word.substr(first, at - first)) +
                                    (at == word.size() ? rules_.last : "");
      if (const auto found = rules_.vocabulary.find(character); found != rules_.vocabulary.end()) {
        end_unknown();
        ids.push_back(found->second);
      } else if (const auto letter = letters_.find(character); letter != letters_.end()) {
        end_unknown();
        ids.push_back(letter->second);
      } else if (!(rules_.bytes && append_bytes(character, ids)) && unknown_) {
        if (!rules_.join_unknown) end_unknown();
        pending = true;
      }
    }
    end_unknown();
    return ids;
  }

  const std::string* kept_at(std::string_view rest) const {
    const auto found =
        std::ranges::find_if(rules_.kept, [&](const std::string& kept) { return rest.starts_with(kept); });
    return found == rules_.kept.end() ? nullptr : &*found;
  }

  /// Appends one token for each byte of the character; nothing if one of them is missing.
  bool append_bytes(const std::string& character, std::vector<Index>& ids) const {
    std::vector<Index> bytes;
    for (const char c : character) {
      const auto found = rules_.vocabulary.find(byte_token(c));
      if (found == rules_.vocabulary.end()) return false;
      bytes.push_back(found->second);
    }
    ids.insert(ids.end(), bytes.begin(), bytes.end());
    return true;
  }

  /// Two neighbours that a merge can join, as they were when the pair was queued.
  struct Pair {
    std::size_t rank = 0, left = 0, right = 0;
    Index first = 0, second = 0, made = 0;
    /// The lowest rank is at the top of a heap; of equal ranks the leftmost pair.
    bool operator<(const Pair& other) const { return std::pair(rank, left) > std::pair(other.rank, other.left); }
  };

  /// Applies the merges in the order of their ranks. A linked list skips joined places, so that the time does not grow
  /// with the square of the word's length.
  void join(std::vector<Index>& ids) const {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> before(ids.size()), after(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
      before[i] = i == 0 ? none : i - 1, after[i] = i + 1 < ids.size() ? i + 1 : none;
    std::vector<bool> removed(ids.size(), false);
    std::priority_queue<Pair> pairs;
    const auto consider = [&](std::size_t left, std::size_t right) {
      if (left == none || right == none) return;
      const auto found = merges_.find(key_of(ids[left], ids[right]));
      if (found != merges_.end())
        pairs.push({found->second.rank, left, right, ids[left], ids[right], found->second.made});
    };
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) consider(i, i + 1);
    while (!pairs.empty()) {
      const Pair pair = pairs.top();
      pairs.pop();
      const bool unchanged = !removed[pair.left] && !removed[pair.right] && after[pair.left] == pair.right &&
                             ids[pair.left] == pair.first && ids[pair.right] == pair.second;
      if (!unchanged) continue;
      ids[pair.left] = pair.made;
      removed[pair.right] = true;
      after[pair.left] = after[pair.right];
      if (after[pair.left] != none) before[after[pair.left]] = pair.left;
      consider(before[pair.left], pair.left);
      consider(pair.left, after[pair.left]);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!removed[i]) ids[kept++] = ids[i];
    }
    ids.resize(kept);
  }

  PairRules rules_;
  std::unordered_map<Index, std::string> texts_;
  std::unordered_map<std::uint64_t, Merge> merges_;
  std::optional<Index> unknown_;
  /// Characters that are no tokens and that merges of scored pieces name (SentencePiece), with ids after all tokens.
  std::unordered_map<std::string, Index> letters_;
  Index first_letter_ = 0;
};

}  // namespace

std::string byte_token(char c) {
  constexpr const char* digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">";
}

void add_merges(const std::vector<ScoredPiece>& pieces, PairRules& rules) {
  std::unordered_map<std::string_view, bool> known;  // and whether it joins
  for (const ScoredPiece& piece : pieces) known.emplace(piece.text, piece.joins);
  // SentencePiece joins any two symbols whose text together is a piece: pieces, and single characters that are none.
  const auto is_symbol = [&](std::string_view text) {
    const auto found = known.find(text);
    if (found != known.end()) return found->second;
    std::size_t end = 0;
    next_character(text, end);
    return end == text.size();
  };
  std::vector<std::tuple<double, std::string_view, std::string_view>> merges;  // score, left, right
  for (const ScoredPiece& piece : pieces) {
    for (std::size_t cut = 0; cut < piece.text.size() && piece.joins;) {
      next_character(piece.text, cut);
      const std::string_view whole = piece.text;
      if (cut < whole.size() && is_symbol(whole.substr(0, cut)) && is_symbol(whole.substr(cut)))
        merges.emplace_back(-piece.score, whole.substr(0, cut), whole.substr(cut));
    }
  }
  std::ranges::sort(merges);
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const auto& [score, left, right] = merges[i];
    rules.merges.emplace_back(left, right);
    rules.ranks.push_back(i > 0 && std::get<0>(merges[i - 1]) == score ? rules.ranks.back() : i);
  }
}

std::unique_ptr<const TokenModel> pair_model(PairRules rules, const std::string& file) {
  return std::make_unique<const PairModel>(std::move(rules), file);
}

}  // namespace headlight
