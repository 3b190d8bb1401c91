// BERT's tokenizer, from vocab.txt.
#include <algorithm>

#include "core/files/error_place.h"
#include "core/text/utf8_path.h"
#include "core/tokenizer/saved_settings.h"
#include "core/tokenizer/token_pipeline.h"

namespace headlight {
namespace {

/// A vocabulary with capitals is for texts with capitals and accents.
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
  Index id = 0;  // of two equal lines the last one counts
  for (std::string& line : lines_of(path, place)) rules.vocabulary.insert_or_assign(std::move(line), id++);
  for (const char* needed : {"[UNK]", "[CLS]", "[SEP]"}) {
    if (!rules.vocabulary.contains(needed))
      place.fail(Message("has no {0}", needed), "a token a line, as BERT's vocab.txt has them");
  }
  const auto named = [&](const char* token) { return Token{rules.vocabulary.at(token), token}; };
  const SavedSettings saved(path.parent_path());
  const bool lower = saved.flag("do_lower_case").value_or(!is_cased(rules.vocabulary));
  const bool plain = saved.flag("strip_accents").value_or(lower),
             ideographs = saved.flag("tokenize_chinese_chars").value_or(true);
  TokenizerParts parts;
  for (const char* special : {"[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"}) {
    if (rules.vocabulary.contains(special)) parts.added.push_back({named(special).id, special});
  }
  parts.normalizer = bert_cleaning({.ideographs = ideographs, .plain = plain, .lower = lower});
  parts.words = {between_blanks(), punctuation(Cut::isolated)};
  parts.before = {named("[CLS]")};
  parts.after = {named("[SEP]")};
  parts.padding = named(rules.vocabulary.contains("[PAD]") ? "[PAD]" : "[UNK]");
  parts.made_from = lower && plain ? "vocab.txt: WordPiece, in lower case, accents left out"
                    : lower        ? "vocab.txt: WordPiece, in lower case"
                    : plain        ? "vocab.txt: WordPiece, accents left out"
                                   : "vocab.txt: WordPiece";
  parts.model = piece_model(std::move(rules));
  return assembled(std::move(parts));
}

}  // namespace headlight
