#include "core/tokenizer/added_tokens.h"

#include <algorithm>

#include "core/text/unicode.h"
#include "core/text/utf8.h"

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
  while (at > 0 && end - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
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

}  // namespace headlight
