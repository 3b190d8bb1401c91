// tiktoken's tokenizers: a token is a string of bytes, and its id is its rank. Of all neighbouring pairs, the one that
// makes the token of the lowest rank is joined first. Two kinds of file: Meta's tokenizer.model of LLaMA 3 has a line
// for each token, its bytes as base64 and its rank. nanochat's tokenizer.pkl is a pickle of tiktoken's Encoding with
// its expression and special tokens.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <span>

#include "core/base/arrays/pickle.h"
#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/models/tokenizer/saved_settings.h"
#include "core/models/tokenizer/token_pipeline.h"

namespace headlight {
namespace {

constexpr Index last_possible_id = std::numeric_limits<std::uint32_t>::max();

struct RankedToken {
  std::string bytes;
  Index rank = 0;
};
std::optional<RankedToken> ranked_token(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return {};
  const auto bytes = from_base64(line.substr(0, blank));
  const Index rank = number_of_text<Index>(line.substr(blank + 1)).value_or(-1);
  if (!bytes || bytes->empty() || rank < 0 || rank > last_possible_id) return {};
  return RankedToken{*bytes, rank};
}

class Ranks {
 public:
  /// False if another token has the same bytes.
  bool add(const RankedToken& token) {
    pieces_.push_back({spelled_bytes(token.bytes), -static_cast<double>(token.rank)});
    return rules_.vocabulary.emplace(pieces_.back().text, token.rank).second;
  }
  Index count() const { return last_id(rules_.vocabulary) + 1; }
  bool has(char byte) const { return rules_.vocabulary.contains(spelled_bytes({&byte, 1})); }
  std::unique_ptr<const TokenModel> model(const ErrorPlace& place) {
    add_merges(pieces_, rules_);
    rules_.whole_words = true;
    return pair_model(std::move(rules_), place.path);
  }

 private:
  PairRules rules_;
  std::vector<ScoredPiece> pieces_;
};

/// Adds the steps that both kinds of file share.
std::unique_ptr<const TokenSplitter> assembled_of(Ranks ranks, PreTokenizer words, TokenizerParts parts,
                                                  const ErrorPlace& place) {
  parts.words = {std::move(words), byte_level(false, false)};
  parts.byte_level = true;
  parts.model = ranks.model(place);
  return assembled(std::move(parts));
}

}  // namespace

bool holds_ranked_bytes(const std::filesystem::path& path) {
  std::string head(256, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return ranked_token(without_return(std::string_view(head).substr(0, head.find('\n')))).has_value();
}

std::unique_ptr<const TokenSplitter> open_ranked_bytes(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  Ranks ranks;
  const std::vector<std::string> lines = lines_of(path, place);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto token = ranked_token(lines[i]);
    if (!token || !ranks.add(*token))
      place.fail(Message(token ? "line {0} has a token for the second time" : "line {0} is no token", i + 1),
                 "its bytes as base64, a blank, and its rank");
  }
  TokenizerParts parts;
  const Index count = ranks.count();
  constexpr std::pair<Index, const char*> llama3_special[] = {{0, "<|begin_of_text|>"},
                                                              {1, "<|end_of_text|>"},
                                                              {6, "<|start_header_id|>"},
                                                              {7, "<|end_header_id|>"},
                                                              {9, "<|eot_id|>"}};
  for (const auto& [after, text] : llama3_special) parts.added.push_back({.id = count + after, .text = text});
  parts.before.push_back({count, llama3_special[0].second});
  parts.padding = {count + 1, llama3_special[1].second};
  parts.made_from = {"{0}: LLaMA 3's BPE over bytes, by ranks", utf8_from(path.filename())};
  return assembled_of(std::move(ranks), words_by(llama3_words(3)), std::move(parts), place);
}

std::unique_ptr<const TokenSplitter> open_pickled_ranks(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  LoadBudget budget(place);
  const std::string bytes = budget.text_of(path);
  const pickle::Tree tree = pickle::read(
      std::as_bytes(std::span(bytes)), [](std::string_view name) { return name == "tiktoken.core.Encoding"; }, place);
  const char* expected = "tiktoken's Encoding with its tokens, as nanochat writes it";
  const auto* encoding = std::get_if<pickle::Call>(&tree.nodes[tree.root]);
  if (!encoding || !encoding->state) place.fail("holds no encoding", expected);
  if (const auto* name = std::get_if<std::string>(&tree.nodes[*encoding->state]))
    place.fail(Message("names {0}, whose tokens it does not hold", in_quotes(*name)), expected);
  const auto* words = tree.find<std::string>(*encoding->state, "pat_str");
  const auto* tokens = tree.find<pickle::Dict>(*encoding->state, "mergeable_ranks");
  const auto* special = tree.find<pickle::Dict>(*encoding->state, "special_tokens");
  if (!words || !tokens || !special) place.fail("lacks pat_str, mergeable_ranks or special_tokens", expected);
  budget.strings(tokens->items.size() + special->items.size());
  std::set<Index> ids;
  const auto id_at = [&](pickle::Ref number) {
    const auto* id = std::get_if<std::int64_t>(&tree.nodes[number]);
    if (!id || *id < 0 || *id > last_possible_id || !ids.insert(*id).second)
      place.fail("has a token without an id of its own", expected);
    return *id;
  };
  Ranks ranks;
  for (const auto& [token, rank] : tokens->items) {
    const auto* spelled = std::get_if<pickle::Bytes>(&tree.nodes[token]);
    const Index id = id_at(rank);
    if (!spelled || spelled->bytes.empty() || !ranks.add({spelled->bytes, id}))
      place.fail("has a token that is no bytes, or for the second time", expected);
  }
  for (int byte = 0; byte < 256; ++byte) {
    if (!ranks.has(static_cast<char>(byte)))
      place.fail(Message("has no token for byte {0}", byte), "one for each byte");
  }
  TokenizerParts parts;
  for (const auto& [token, number] : special->items) {
    const auto* text = std::get_if<std::string>(&tree.nodes[token]);
    const Index id = id_at(number);
    if (!text || text->empty()) place.fail("has a special token that is no text", expected);
    parts.added.push_back({.id = id, .text = *text});
    if (*text == "<|bos|>") parts.before = {{id, *text}};  // nanochat puts it before every text
  }
  parts.padding = parts.before.empty() ? Token{0, "0"} : parts.before.front();
  parts.made_from = {"{0}: tiktoken's BPE over bytes, by ranks", utf8_from(path.filename())};
  return assembled_of(std::move(ranks),
                      splitting(each_match(TextPattern(*words, place, PatternSyntax::rust)), Cut::removed, true),
                      std::move(parts), place);
}

}  // namespace headlight
