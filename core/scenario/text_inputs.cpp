#include <algorithm>
#include <map>

#include "core/scenario/scenario_rules.h"
#include "core/scenario/seeded.h"
#include "core/tensor/error.h"
#include "core/tensor/sampler.h"
#include "core/text/texts.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace headlight {
namespace {

using Tokens = std::vector<std::string>;
constexpr const char* padding_token = "<pad>";

bool is_space(char32_t c) { return c == U' ' || (c >= U'\t' && c <= U'\r') || c == U'\u00A0' || c == U'\u3000'; }

Tokens words(std::string_view line) {
  Tokens tokens;
  bool inside = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t first = at;
    const bool space = is_space(next_character(line, at));
    if (!space && !inside) tokens.emplace_back();
    if (!space) tokens.back().append(line.substr(first, at - first));
    inside = !space;
  }
  return tokens;
}

Tokens characters(std::string_view line) {
  Tokens tokens;
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view character = next_grapheme(line, at);
    std::size_t inside = 0;
    if (character != "\r") tokens.emplace_back(is_space(next_character(character, inside)) ? "␣" : character);
  }
  return tokens;
}

/// The tokens of each line that has any.
std::vector<Tokens> tokenized(const Scenario& scenario) {
  std::vector<Tokens> entries;
  for (const std::string_view line : Parts(scenario.text, '\n')) {
    if (const Tokens line_words = words(line); !line_words.empty()) {
      check_lines(entries.size() + 1);
      entries.push_back(scenario.tokenizer == Tokenizer::words ? line_words : characters(line));
    }
  }
  return entries;
}

/// [B, n, d]: equal tokens get equal vectors, drawn from a stream that the token names.
Tensor embedded(const std::vector<Tokens>& entries, Index d, std::uint64_t seed) {
  std::map<std::string_view, Tensor> vectors;
  Buffer values;
  for (const Tokens& entry : entries) {
    for (const std::string& token : entry) {
      Tensor& vector = vectors[token];
      if (!vector.defined()) vector = Sampler(seed, "token " + token).normal({d});
      values.insert(values.end(), vector.values().begin(), vector.values().end());
    }
  }
  return Tensor({static_cast<Index>(entries.size()), static_cast<Index>(entries.front().size()), d}, std::move(values));
}

}  // namespace

void check_lines(std::size_t lines) {
  constexpr std::size_t most = 65'536;
  if (lines > most)
    throw SettingError("--text", Message("has more than {0} lines", most), "expected fewer, each a sentence");
}

TextSequence embedded_text(const Scenario& scenario, const Dims& dims) {
  std::vector<Tokens> entries = tokenized(scenario);
  if (entries.empty()) throw SettingError("--text", "holds no token", "expected at least one word");
  std::size_t longest = 0;
  Buffer lengths;
  for (const Tokens& entry : entries) {
    longest = std::max(longest, entry.size());
    lengths.push_back(static_cast<float>(entry.size()));
  }
  const Index batch = static_cast<Index>(entries.size());
  Dims whole = dims;
  whole.batch = batch;
  whole.n_q = whole.n_k = static_cast<Index>(longest);
  check_memory(scenario, whole);  // before lines are made as long as the longest
  TextSequence made;
  for (Tokens& entry : entries) {
    if (entry.size() < longest && !made.valid_lens.defined()) made.valid_lens = Tensor({batch}, lengths);
    entry.resize(longest, padding_token);
  }
  Sequence& s = made.sequence;
  s.query = s.key = s.value = embedded(entries, dims.d_query, scenario.seed);
  s.query_tokens = s.key_tokens = std::move(entries);
  return made;
}

}  // namespace headlight
