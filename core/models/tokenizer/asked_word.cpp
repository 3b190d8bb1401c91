#include "core/models/tokenizer/asked_word.h"

#include <algorithm>
#include <array>

#include "core/base/text/unicode.h"

namespace headlight {
namespace {

/// Third person and reflexive: what they mean is elsewhere in the text. "I", "you" and "we" mean the speakers.
constexpr auto pronouns = std::to_array<std::string_view>(
    {"it",         "he",   "she",  "they", "him",   "them", "itself", "himself", "herself",
     "themselves", "his",  "her",  "its",  "their", "hers", "theirs", "它",      "他",
     "她",         "它们", "他们", "她们", "自己",  "其",   "牠"});

/// Pronouns are searched for only so far from the end.
constexpr std::int64_t pronoun_reach = 512;

/// The token without the space before it, as tokenizers write it.
std::string_view without_space(std::string_view token) {
  for (const std::string_view space : {" ", "Ġ", "▁"}) {
    if (token.size() > space.size() && token.starts_with(space)) token.remove_prefix(space.size());
  }
  return token;
}

bool is_mark_of_tokenizer(std::string_view token) {
  return token.size() > 2 &&
         ((token.front() == '[' && token.back() == ']') || (token.front() == '<' && token.back() == '>'));
}

}  // namespace

bool is_word(std::string_view token) {
  token = without_space(token);
  if (is_mark_of_tokenizer(token)) return false;
  for (std::size_t at = 0; at < token.size();) {
    const char32_t c = next_character(token, at);
    if (is_letter(c) || is_digit(c) || (c >= 0x80 && !is_punctuation(c))) return true;
  }
  return false;
}

bool is_pronoun(std::string_view token) {
  std::string word(without_space(token));
  for (char& c : word) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::ranges::find(pronouns, word) != pronouns.end();
}

std::int64_t asked_word(std::span<const std::string> tokens) {
  const std::int64_t first = std::ranges::find_if(tokens, is_word) - tokens.begin(), count = std::ssize(tokens);
  std::int64_t last = -1;
  for (std::int64_t i = count - 1; i >= std::max(first, count - pronoun_reach); --i) {
    const std::string& token = tokens[static_cast<std::size_t>(i)];
    if (i > first && is_pronoun(token)) return i;
    if (last < 0 && is_word(token)) last = i;
  }
  return last >= 0 ? last : std::max<std::int64_t>(count - 1, 0);
}

}  // namespace headlight
