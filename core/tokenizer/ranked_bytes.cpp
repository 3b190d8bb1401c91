// tiktoken's file, as Meta's tokenizer.model of LLaMA 3: a line a token, its bytes as base64 and its rank, which is its
// id. Of two neighbours those are joined that make the token of the lowest rank.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "core/files/error_place.h"
#include "core/text/texts.h"
#include "core/text/utf8_path.h"
#include "core/tokenizer/saved_settings.h"
#include "core/tokenizer/token_pipeline.h"

namespace headlight {
namespace {

struct RankedToken {
  std::string bytes;
  Index rank = 0;
};
std::optional<RankedToken> ranked_token(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return {};
  const auto bytes = from_base64(line.substr(0, blank));
  Index rank = -1;
  const std::string_view number = line.substr(blank + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rank);
  if (!bytes || bytes->empty() || error != std::errc() || end != number.data() + number.size() || rank < 0) return {};
  return RankedToken{*bytes, rank};
}

}  // namespace

bool holds_ranked_bytes(const std::filesystem::path& path) {
  std::string head(256, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  std::string_view line = std::string_view(head).substr(0, head.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return ranked_token(line).has_value();
}

std::unique_ptr<const TokenSplitter> open_ranked_bytes(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  PairRules rules;
  std::vector<ScoredPiece> pieces;
  const std::vector<std::string> lines = lines_of(path, place);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto token = ranked_token(lines[i]);
    if (!token || !rules.vocabulary.emplace(spelled_bytes(token->bytes), token->rank).second)
      place.fail(Message(token ? "line {0} has a token for the second time" : "line {0} is no token", i + 1),
                 "its bytes as base64, a blank, and its rank");
    pieces.push_back({spelled_bytes(token->bytes), -static_cast<double>(token->rank)});
  }
  add_merges(pieces, rules);
  rules.whole_words = true;
  TokenizerParts parts;
  const Index count = last_id(rules.vocabulary) + 1;
  constexpr std::pair<Index, const char*> of_llama3[] = {{0, "<|begin_of_text|>"},
                                                         {1, "<|end_of_text|>"},
                                                         {6, "<|start_header_id|>"},
                                                         {7, "<|end_header_id|>"},
                                                         {9, "<|eot_id|>"}};
  for (const auto& [after, text] : of_llama3) parts.added.push_back({.id = count + after, .text = text});
  parts.before.push_back({count, of_llama3[0].second});
  parts.padding = {count + 1, of_llama3[1].second};
  parts.words.push_back(words_by(llama3_words(3)));
  parts.words.push_back(byte_level(false, false));
  parts.byte_level = true;
  parts.model = pair_model(std::move(rules), place.path);
  parts.made_from = {"{0}: LLaMA 3's BPE over bytes, by ranks", utf8_from(path.filename())};
  return assembled(std::move(parts));
}

}  // namespace headlight
