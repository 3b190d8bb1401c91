#include "core/tokenizer/added_tokens.h"

#include <algorithm>

#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace headlight {
namespace {

struct Match {
  const AddedToken* token = nullptr;
  std::size_t start = 0, end = 0;
};

Match first_match(std::string_view text, std::size_t from, const std::vector<AddedToken>& tokens) {
  Match best;
  for (const AddedToken& token : tokens) {
    const std::size_t at = token.text.empty() ? std::string_view::npos : text.find(token.text, from);
    if (at == std::string_view::npos) continue;
    const bool longer = at == best.start && token.text.size() > best.end - best.start;
    if (!best.token || at < best.start || longer) best = {&token, at, at + token.text.size()};
  }
  return best;
}

std::size_t blanks_after(std::string_view text, std::size_t from) {
  std::size_t end = from;
  for (std::size_t at = from; at < text.size() && is_blank(next_character(text, at));) end = at;
  return end;
}

/// Where the blanks begin that end at `end`, not before `from`.
std::size_t blanks_before(std::string_view text, std::size_t from, std::size_t end) {
  std::size_t start = end;
  for (std::size_t at = from; at < end;) {
    const std::size_t here = at;
    if (!is_blank(next_character(text, at))) {
      start = end;
    } else {
      start = std::min(start, here);
    }
  }
  return start;
}

}  // namespace

std::vector<Stretch> cut_at(std::string_view text, const std::vector<AddedToken>& tokens) {
  std::vector<Stretch> stretches;
  std::size_t at = 0;
  const auto append_text = [&](std::size_t end) {
    if (end > at) stretches.push_back({std::string(text.substr(at, end - at)), at});
  };
  while (at < text.size()) {
    Match match = first_match(text, at, tokens);
    if (!match.token) break;
    if (match.token->takes_before) match.start = blanks_before(text, at, match.start);
    if (match.token->takes_after) match.end = blanks_after(text, match.end);
    append_text(match.start);
    stretches.push_back({match.token->text, match.start, match.token});
    at = match.end;
  }
  append_text(text.size());
  return stretches;
}

}  // namespace headlight
