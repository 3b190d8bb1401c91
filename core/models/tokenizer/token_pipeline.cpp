#include "core/models/tokenizer/token_pipeline.h"

#include <algorithm>
#include <utility>

#include "core/base/files/load_budget.h"
#include "core/base/text/unicode.h"

namespace headlight {
namespace {

std::size_t blanks_after(std::string_view text, std::size_t from) {
  std::size_t end = from;
  for (std::size_t at = from; at < text.size() && is_blank(next_character(text, at));) end = at;
  return end;
}

/// Start of the character that ends at `end`, which is not 0.
std::size_t character_before(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && end - at < 4 && continues_character(text[at])) --at;
  return at;
}

/// Start of the blanks that end at `end`; not before `from`.
std::size_t blanks_before(std::string_view text, std::size_t from, std::size_t end) {
  while (end > from) {
    const std::size_t start = character_before(text, end);
    std::size_t at = start;
    if (!is_blank(next_character(text, at))) break;
    end = start;
  }
  return std::max(from, end);
}

bool stands_alone(std::string_view text, std::size_t start, std::size_t end) {
  std::size_t before = start > 0 ? character_before(text, start) : 0, after = end;
  const bool word_before = start > 0 && is_word_character(next_character(text, before));
  return !word_before && (end == text.size() || !is_word_character(next_character(text, after)));
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (!tokens_[i].text.empty()) by_first_byte_[static_cast<unsigned char>(tokens_[i].text.front())].push_back(i);
  }
  for (std::vector<std::size_t>& list : by_first_byte_) {
    std::ranges::stable_sort(list, std::ranges::greater(), [&](std::size_t i) { return tokens_[i].text.size(); });
  }
}

const AddedToken* AddedTokens::at(std::string_view rest) const {
  for (const std::size_t i : by_first_byte_[static_cast<unsigned char>(rest.front())]) {
    if (rest.starts_with(tokens_[i].text)) return &tokens_[i];
  }
  return nullptr;
}

std::vector<Stretch> AddedTokens::cut(std::string_view text) const {
  std::vector<Stretch> stretches;
  std::size_t from = 0;  // start of the text that is not cut yet
  const auto append_text = [&](std::size_t end) {
    if (end > from) stretches.push_back({std::string(text.substr(from, end - from)), from});
  };
  for (std::size_t i = 0; i < text.size();) {
    const AddedToken* token = at(text.substr(i));
    if (!token) {
      ++i;
      continue;
    }
    std::size_t start = i, end = i + token->text.size();
    i = end;
    if (token->whole_word && !stands_alone(text, start, end)) continue;
    if (token->takes_before) start = blanks_before(text, from, start);
    if (token->takes_after) i = end = blanks_after(text, end);
    append_text(start);
    stretches.push_back({token->text, start, token});
    from = end;
  }
  append_text(text.size());
  return stretches;
}

namespace {

class Pipeline final : public TokenSplitter {
 public:
  explicit Pipeline(TokenizerParts parts) : parts_(std::move(parts)), shown_(replacing("▁", "␣")) {
    const MatchTime time(0);
    std::vector<AddedToken> raw, normalized;
    for (AddedToken& token : parts_.added) {
      if (token.normalized && parts_.normalizer) token.text = parts_.normalizer(token.text);
      (token.normalized ? normalized : raw).push_back(token);
    }
    raw_ = AddedTokens(std::move(raw));
    normalized_ = AddedTokens(std::move(normalized));
  }

  std::vector<Token> split(std::string_view line) const override {
    const MatchTime time(line.size());
    std::vector<Token> tokens = parts_.before;
    std::size_t bytes = 0;  // of the line after normalization
    for (const Stretch& stretch : raw_.cut(line)) {
      if (stretch.token) {
        tokens.push_back({stretch.token->id, stretch.token->text});
      } else {
        append_text(stretch, bytes, tokens);
      }
    }
    tokens.insert(tokens.end(), parts_.after.begin(), parts_.after.end());
    return tokens;
  }

  Token padding() const override { return parts_.padding; }
  Message made_from() const override { return parts_.made_from; }

  std::optional<std::string> text_of(Index id) const override {
    for (const AddedTokens* added : {&raw_, &normalized_}) {
      for (const AddedToken& token : added->all()) {
        if (token.id == id) return token.text;
      }
    }
    const auto text = parts_.model->text_of(id);
    if (!text) return {};
    return parts_.byte_level ? readable_bytes(*text) : shown_(*text);
  }

  Index last_id() const override {
    Index last = parts_.model->last_id();
    for (const AddedToken& token : raw_.all()) last = std::max(last, token.id);
    for (const AddedToken& token : normalized_.all()) last = std::max(last, token.id);
    return last;
  }

 private:
  void append_text(const Stretch& raw, std::size_t& bytes, std::vector<Token>& tokens) const {
    const std::string text = parts_.normalizer ? parts_.normalizer(raw.text) : raw.text;
    check_grown(bytes += text.size());
    // Where the normalizer removes the line's first character, no piece counts as the line's first one.
    std::size_t first_size = 0;
    const std::string_view whole = raw.text;
    next_character(whole, first_size);
    const bool begins =
        raw.start == 0 && (!parts_.normalizer || !parts_.normalizer(std::string(whole.substr(0, first_size))).empty());
    for (const Stretch& stretch : normalized_.cut(text)) {
      if (stretch.token) {
        tokens.push_back({stretch.token->id, stretch.token->text});
      } else {
        append_words({stretch.text, begins && stretch.start == 0}, tokens);
      }
    }
  }

  void append_words(TextPiece text, std::vector<Token>& tokens) const {
    std::vector<TextPiece> pieces{std::move(text)};
    for (const PreTokenizer& cut : parts_.words) {
      std::vector<TextPiece> smaller;
      std::size_t bytes = 0;
      for (const TextPiece& piece : pieces) {
        for (TextPiece& word : cut(piece)) {
          check_grown(bytes += word.text.size());
          smaller.push_back(std::move(word));
        }
      }
      pieces = std::move(smaller);
    }
    const std::size_t first = tokens.size();
    for (const TextPiece& piece : pieces) {
      parts_.model->append(piece.text, tokens);
      if (tokens.size() > LoadBudget::most_tokens) LoadBudget({parts_.made_from.english()}).tokens(tokens.size());
    }
    for (std::size_t i = first; i < tokens.size(); ++i) {
      tokens[i].text = parts_.byte_level ? readable_bytes(tokens[i].text) : shown_(tokens[i].text);
    }
  }

  TokenizerParts parts_;
  Normalizer shown_;
  AddedTokens raw_, normalized_;
};

}  // namespace

std::unique_ptr<const TokenSplitter> assembled(TokenizerParts parts) {
  return std::make_unique<const Pipeline>(std::move(parts));
}

}  // namespace headlight
