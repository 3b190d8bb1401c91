#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/files/blame.h"
#include "core/text/utf8.h"
#include "core/tokenizer/token_model.h"

namespace headlight {
namespace {

struct Merge {
  std::size_t rank = 0;
  Index made = 0;
};

std::uint64_t key_of(Index first, Index second) { return (static_cast<std::uint64_t>(first) << 32) | static_cast<std::uint64_t>(second); }

/// "<0xE2>"
std::string spelled_byte(char c) {
  constexpr const char* digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">";
}

class PairModel final : public TokenModel {
 public:
  PairModel(PairRules rules, const std::string& file) : rules_(std::move(rules)) {
    for (const auto& [text, id] : rules_.vocabulary) texts_.emplace(id, text);
    const auto id_of = [&](const std::string& text) {
      const auto found = rules_.vocabulary.find(text);
      if (found == rules_.vocabulary.end()) Blame{file}.fail("has no token " + in_quotes(text) + ", which its merges name", "every merge's parts and result in the vocabulary");
      return found->second;
    };
    for (std::size_t rank = 0; rank < rules_.merges.size(); ++rank) {
      const auto& [first, second] = rules_.merges[rank];
      merges_.insert_or_assign(key_of(id_of(first), id_of(second)), Merge{rank, id_of(first + second)});
    }
    if (rules_.unknown) unknown_ = id_of(*rules_.unknown);
  }

  void append(std::string_view word, std::vector<Token>& tokens) const override {
    const auto whole = rules_.whole_words ? rules_.vocabulary.find(std::string(word)) : rules_.vocabulary.end();
    std::vector<Index> ids = whole != rules_.vocabulary.end() ? std::vector{whole->second} : characters_of(word);
    while (join_best(ids)) {}
    for (const Index id : ids) tokens.push_back({id, texts_.at(id)});
  }

  std::optional<std::string> text_of(Index id) const override {
    const auto found = texts_.find(id);
    return found == texts_.end() ? std::nullopt : std::optional(found->second);
  }

  Index last_id() const override {
    Index last = -1;
    for (const auto& [id, text] : texts_) last = std::max(last, id);
    return last;
  }

 private:
  std::vector<Index> characters_of(std::string_view word) const {
    std::vector<Index> ids;
    bool pending = false;  // an unknown that others may join
    const auto settle = [&] {
      if (std::exchange(pending, false)) ids.push_back(*unknown_);
    };
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t first = at;
      next_character(word, at);
      const std::string character(word.substr(first, at - first));
      if (const auto found = rules_.vocabulary.find(character); found != rules_.vocabulary.end()) {
        settle();
        ids.push_back(found->second);
      } else if (!(rules_.bytes && append_bytes(character, ids)) && unknown_) {
        if (!rules_.join_unknown) settle();
        pending = true;
      }
    }
    settle();
    return ids;
  }

  /// All of the character's bytes, or none.
  bool append_bytes(const std::string& character, std::vector<Index>& ids) const {
    std::vector<Index> bytes;
    for (const char c : character) {
      const auto found = rules_.vocabulary.find(spelled_byte(c));
      if (found == rules_.vocabulary.end()) return false;
      bytes.push_back(found->second);
    }
    ids.insert(ids.end(), bytes.begin(), bytes.end());
    return true;
  }

  /// The pair whose merge comes first, the leftmost of equals. Whether there was one.
  bool join_best(std::vector<Index>& ids) const {
    std::size_t best = 0;
    Merge merge{std::numeric_limits<std::size_t>::max()};
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto found = merges_.find(key_of(ids[i], ids[i + 1]));
      if (found != merges_.end() && found->second.rank < merge.rank) best = i, merge = found->second;
    }
    if (merge.rank == std::numeric_limits<std::size_t>::max()) return false;
    ids[best] = merge.made;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    return true;
  }

  PairRules rules_;
  std::unordered_map<Index, std::string> texts_;
  std::unordered_map<std::uint64_t, Merge> merges_;
  std::optional<Index> unknown_;
};

}  // namespace

std::unique_ptr<const TokenModel> pair_model(PairRules rules, const std::string& file) {
  return std::make_unique<const PairModel>(std::move(rules), file);
}

}  // namespace headlight
