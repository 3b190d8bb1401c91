#include "core/models/tokenizer/json_steps.h"

#include <limits>
#include <map>

#include "core/base/files/load_budget.h"
#include "core/base/tensor/message.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"

namespace headlight {
namespace {

/// The value of `table` for the text under `key`; other texts are refused.
template <typename Value>
Value one_of(const TokenizerPart& part, const char* key, const std::map<std::string, Value>& table,
             const std::string& usual) {
  const std::string text = part.text(key, usual);
  const auto found = table.find(text);
  if (found == table.end()) part.refuse(Message("has the {0} {1}", std::string(key), in_quotes(text)));
  return found->second;
}

Cut cut_of(const TokenizerPart& part) {
  return one_of<Cut>(part, "behavior",
                     {{"Removed", Cut::removed},
                      {"Isolated", Cut::isolated},
                      {"MergedWithPrevious", Cut::merged_with_previous},
                      {"MergedWithNext", Cut::merged_with_next},
                      {"Contiguous", Cut::contiguous}},
                     "Isolated");
}

/// A "pattern": {"Regex": …} or {"String": …}.
PreTokenizer split_of(const TokenizerPart& part) {
  const TokenizerPart pattern = part.at("pattern");
  const bool by_expression = pattern.at("Regex").there();
  if (!by_expression && !pattern.at("String").there()) part.refuse("splits without a pattern");
  return splitting(by_expression ? each_match(TextPattern(pattern.text("Regex"), part.place))
                                 : each_place_of(pattern.text("String")),
                   cut_of(part), part.is("invert", false));
}

/// The text under `key`, which must be one character.
std::string character_of(const TokenizerPart& part, const char* key, const std::string& usual) {
  const std::string text = part.text(key, usual);
  std::size_t first = 0;
  if (text.empty() || (next_character(text, first), first != text.size()))
    part.refuse(Message("has the {0} {1}", std::string(key), in_quotes(text)));
  return text;
}

Normalizer replacing_of(const TokenizerPart& part) {
  const TokenizerPart pattern = part.at("pattern");
  if (pattern.at("Regex").there())
    return replacing(TextPattern(pattern.text("Regex"), part.place), part.text("content"));
  const std::string from = pattern.text("String");
  if (from.empty()) part.refuse("replaces without a pattern");
  return replacing(from, part.text("content"));
}

Normalizer precompiled_of(const TokenizerPart& part) {
  const auto bytes = from_base64(part.text("precompiled_charsmap"));
  if (!bytes) part.refuse("has a precompiled_charsmap that is no base64");
  return precompiled(CharsMap(*bytes, part.place));
}

/// Older files say add_prefix_space, newer ones prepend_scheme.
PreTokenizer metaspace_of(const TokenizerPart& part) {
  const MarkFirst in_front = one_of<MarkFirst>(
      part, "prepend_scheme", {{"always", MarkFirst::always}, {"first", MarkFirst::first}, {"never", MarkFirst::never}},
      part.is("add_prefix_space", true) ? "always" : "never");
  return metaspace(character_of(part, "replacement", "▁"), in_front, part.is("split", true));
}

Normalizer bert_of(const TokenizerPart& part) {
  const bool lower = part.is("lowercase", true);
  return bert_cleaning({.clean = part.is("clean_text", true),
                        .ideographs = part.is("handle_chinese_chars", true),
                        .plain = part.is("strip_accents", lower),
                        .lower = lower});
}

/// A pre-tokenizer that is a single step, by its type.
PreTokenizer pre_tokenizer_of(const TokenizerPart& part, const std::string& type) {
  if (type == "ByteLevel") return byte_level(part.is("add_prefix_space", true), part.is("use_regex", true));
  if (type == "Punctuation") return punctuation(cut_of(part));
  if (type == "Digits")
    return splitting(each_character_that(is_digit),
                     part.is("individual_digits", false) ? Cut::isolated : Cut::contiguous);
  if (type == "CharDelimiterSplit") return splitting(each_place_of(character_of(part, "delimiter", "")), Cut::removed);
  if (type == "Whitespace") return signs_apart();
  if (type == "WhitespaceSplit") return between_blanks();
  if (type == "Metaspace") return metaspace_of(part);
  if (type == "Split") return split_of(part);
  part.refuse(Message("is {0}", in_quotes(type)));
}

}  // namespace

Json read_tokenizer_json(const std::filesystem::path& path, const ErrorPlace& place) {
  constexpr int deepest = 5000;  // nesting that the parser allows; list() allows less
  return LoadBudget(place).json_of(path, deepest);
}

Index token_id(const Json& id, std::string_view token, const ErrorPlace& place) {
  const bool whole = id.is_number_unsigned() && id.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
  if (!whole) place.fail(Message("the id of {0} is no whole number", in_quotes(token)), "0 to 4294967295");
  return id.get<Index>();
}

TokenizerPart TokenizerPart::at(const char* key) const {
  static const Json nothing;
  const auto found = value.is_object() ? value.find(key) : value.end();
  return {value.is_object() && found != value.end() ? *found : nothing, name, place, depth};
}

std::vector<TokenizerPart> TokenizerPart::list(const char* key) const {
  constexpr int deepest = 16;
  if (depth >= deepest) refuse(Message("is nested more than {0} deep", deepest));
  std::vector<TokenizerPart> items;
  for (const Json& item : at(key).value) items.push_back({item, name, place, depth + 1});
  return items;
}

std::string TokenizerPart::text(const char* key, const std::string& otherwise) const {
  const TokenizerPart found = at(key);
  if (!found.there()) return otherwise;
  if (!found.value.is_string()) refuse(Message("has a {0} that is no string", key));
  return found.value.get<std::string>();
}

bool TokenizerPart::is(const char* key, bool otherwise) const {
  const TokenizerPart found = at(key);
  if (!found.there()) return otherwise;
  if (!found.value.is_boolean()) refuse(Message("has a {0} that is neither true nor false", key));
  return found.value.get<bool>();
}

void TokenizerPart::refuse(const Message& what) const {
  place.fail(Message("its {0} {1}, which is not known here", name, what), "a tokenizer as of GPT-2, BERT, LLaMA or T5");
}

Normalizer normalizer_of(const TokenizerPart& part) {
  if (!part.there()) return {};
  const std::string type = part.text("type");
  if (type == "Sequence") {
    std::vector<Normalizer> steps;
    for (const TokenizerPart& step : part.list("normalizers")) steps.push_back(normalizer_of(step));
    return one_after_another(std::move(steps));
  }
  if (type == "BertNormalizer") return bert_of(part);
  if (type == "Lowercase") return lower_case();
  if (type == "Prepend") return prepending(part.text("prepend"));
  if (type == "Replace") return replacing_of(part);
  if (type == "Strip") return without_ends(part.is("strip_left", true), part.is("strip_right", true));
  if (type == "StripAccents") return without_marks();
  if (type == "Nmt") return nmt_cleaning();
  if (type == "Precompiled") return precompiled_of(part);
  if (type == "ByteLevel") return byte_spelling();
  static const std::map<std::string, UnicodeForm> forms{
      {"NFC", UnicodeForm::nfc}, {"NFD", UnicodeForm::nfd}, {"NFKC", UnicodeForm::nfkc}, {"NFKD", UnicodeForm::nfkd}};
  if (const auto form = forms.find(type); form != forms.end()) return unicode_form(form->second);
  part.refuse(Message("is {0}", in_quotes(type)));
}

void append_pre_tokenizer(const TokenizerPart& part, TokenizerParts& parts) {
  if (!part.there()) return;
  const std::string type = part.text("type");
  if (type == "Sequence") {
    for (const TokenizerPart& step : part.list("pretokenizers")) append_pre_tokenizer(step, parts);
  } else if (type == "BertPreTokenizer") {
    parts.words.push_back(between_blanks());
    parts.words.push_back(punctuation(Cut::isolated));
  } else {
    parts.words.push_back(pre_tokenizer_of(part, type));
    parts.byte_level = parts.byte_level || type == "ByteLevel";
  }
}

}  // namespace headlight
