// BERT's tokenizer, from vocab.txt.
#include <algorithm>
#include <fstream>

#include "core/files/error_place.h"
#include "core/text/utf8_path.h"
#include "core/tokenizer/token_pipeline.h"

namespace headlight {
namespace {

/// Lower case without accents, unless the vocabulary has capitals.
bool is_cased(const Vocabulary& vocabulary) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return std::ranges::any_of(vocabulary, [&](const auto& entry) {
    const bool special = entry.first.starts_with('[') && entry.first.ends_with(']');
    return !special && std::ranges::any_of(entry.first, is_capital);
  });
}

}  // namespace

std::unique_ptr<const TokenSplitter> open_word_pieces(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  PieceRules rules;
  std::ifstream stream(path, std::ios::binary);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    rules.vocabulary.emplace(line, static_cast<Index>(rules.vocabulary.size()));
  }
  for (const char* needed : {"[UNK]", "[CLS]", "[SEP]"}) {
    if (!rules.vocabulary.contains(needed))
      place.fail(std::string("has no ") + needed, "a token a line, as BERT's vocab.txt has them");
  }
  const auto named = [&](const char* token) { return Token{rules.vocabulary.at(token), token}; };
  const bool cased = is_cased(rules.vocabulary);
  TokenizerParts parts;
  for (const char* special : {"[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"}) {
    if (rules.vocabulary.contains(special)) parts.added.push_back({named(special).id, special});
  }
  parts.normalizer = bert_cleaning({.plain = !cased, .lower = !cased});
  parts.words.push_back(bert_words());
  parts.before = {named("[CLS]")};
  parts.after = {named("[SEP]")};
  parts.padding = named(rules.vocabulary.contains("[PAD]") ? "[PAD]" : "[UNK]");
  parts.made_from = cased ? "vocab.txt: WordPiece" : "vocab.txt: WordPiece, in lower case, accents left out";
  parts.model = piece_model(std::move(rules));
  return assembled(std::move(parts));
}

}  // namespace headlight
