// GPT-2's tokenizer, from vocab.json and merges.txt.
#include <fstream>

#include "core/files/error_place.h"
#include "core/text/utf8_path.h"
#include "core/tokenizer/json_steps.h"

namespace headlight {
namespace {

Vocabulary read_vocabulary(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  const Json json = read_tokenizer_json(path, place);
  if (!json.is_object()) place.fail("no JSON object", "{\"token\": id, …}");
  Vocabulary vocabulary;
  for (const auto& [token, id] : json.items()) vocabulary.emplace(token, token_id(id, token, place));
  return vocabulary;
}

std::vector<std::pair<std::string, std::string>> read_merges(const std::filesystem::path& path) {
  std::vector<std::pair<std::string, std::string>> merges;
  std::ifstream stream(path, std::ios::binary);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with("#version")) continue;
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos)
      ErrorPlace{utf8_from(path)}.fail("the line " + in_quotes(line) + " has no blank", "two pieces that are joined");
    merges.emplace_back(line.substr(0, blank), line.substr(blank + 1));
  }
  return merges;
}

}  // namespace

std::unique_ptr<const TokenSplitter> open_byte_pairs(const std::filesystem::path& vocabulary,
                                                     const std::filesystem::path& merges) {
  PairRules rules;
  rules.vocabulary = read_vocabulary(vocabulary);
  rules.merges = read_merges(merges);
  TokenizerParts parts;
  const auto end = rules.vocabulary.find("<|endoftext|>");
  if (end != rules.vocabulary.end()) {
    parts.padding.id = end->second;
    rules.unknown = end->first;
  }
  parts.padding.text = "<pad>";
  parts.words.push_back(byte_level(false, true));
  parts.byte_level = true;
  parts.model = pair_model(std::move(rules), utf8_from(vocabulary));
  parts.made_from = "vocab.json and merges.txt: byte-level BPE";
  return assembled(std::move(parts));
}

}  // namespace headlight
