#include "core/tokenizer/json_steps.h"

#include <limits>
#include <map>
#include <string_view>

#include "core/files/load_budget.h"
#include "core/text/utf8.h"

namespace headlight {
namespace {

constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view gpt4_start = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)";
constexpr std::string_view gpt4_end = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// "Split": the pattern as GPT-2 or GPT-4 has it.
PreTokenizer split_of(const TokenizerPart& part) {
  const std::string pattern = part.at("pattern").text("Regex"), behaviour = part.text("behavior");
  const bool inverted = part.is("invert", false);
  const bool whole = (behaviour == "Isolated" && !inverted) || (behaviour == "Removed" && inverted);
  if (!whole) part.refuse("splits with the behavior " + in_quotes(behaviour));
  if (pattern == gpt2_pattern) return words_by(gpt2_word);
  for (const auto& [digits, most] : {std::pair{R"(\p{N}{1,3})", 3}, {R"(\p{N})", 1}}) {
    if (pattern == std::string(gpt4_start) + digits + std::string(gpt4_end)) {
      return words_by([most = most](std::string_view text) { return gpt4_word(text, static_cast<std::size_t>(most)); });
    }
  }
  part.refuse("splits by " + in_quotes(pattern));
}

/// Older files say add_prefix_space, newer ones prepend_scheme.
PreTokenizer metaspace_of(const TokenizerPart& part) {
  const std::string scheme = part.text("prepend_scheme", part.is("add_prefix_space", true) ? "always" : "never");
  const bool known = scheme == "always" || scheme == "first" || scheme == "never";
  if (!known) part.refuse("has the prepend_scheme " + in_quotes(scheme));
  const MarkFirst in_front = scheme == "always"  ? MarkFirst::always
                             : scheme == "first" ? MarkFirst::first
                                                 : MarkFirst::never;
  const std::string mark = part.text("replacement", "▁");
  std::size_t first = 0;
  if (mark.empty() || (next_character(mark, first), first != mark.size()))
    part.refuse("has the replacement " + in_quotes(mark));
  return metaspace(mark, in_front, part.is("split", true));
}

Normalizer bert_of(const TokenizerPart& part) {
  BertCleaning what;
  what.clean = part.is("clean_text", true);
  what.ideographs = part.is("handle_chinese_chars", true);
  what.lower = part.is("lowercase", true);
  what.plain = part.is("strip_accents", what.lower);
  return bert_cleaning(what);
}

}  // namespace

Json read_tokenizer_json(const std::filesystem::path& path, const ErrorPlace& place) {
  constexpr int deepest = 5000;  // of what is parsed; its parts are gone through less deep
  return LoadBudget(place).json_of(path, deepest);
}

Index token_id(const Json& id, std::string_view token, const ErrorPlace& place) {
  const bool whole = id.is_number_unsigned() && id.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
  if (!whole) place.fail("the id of " + in_quotes(token) + " is no whole number", "0 to 4294967295");
  return id.get<Index>();
}

std::string TokenizerPart::type() const { return text("type"); }

TokenizerPart TokenizerPart::at(const char* key) const {
  static const Json nothing;
  const auto found = value.is_object() ? value.find(key) : value.end();
  return {value.is_object() && found != value.end() ? *found : nothing, name, place, depth};
}

std::vector<TokenizerPart> TokenizerPart::list(const char* key) const {
  constexpr int deepest = 16;
  if (depth >= deepest) refuse("is nested more than " + std::to_string(deepest) + " deep");
  std::vector<TokenizerPart> items;
  for (const Json& item : at(key).value) items.push_back({item, name, place, depth + 1});
  return items;
}

std::string TokenizerPart::text(const char* key, const std::string& otherwise) const {
  const TokenizerPart found = at(key);
  if (!found.there()) return otherwise;
  if (!found.value.is_string()) refuse(std::string("has a ") + key + " that is no string");
  return found.value.get<std::string>();
}

bool TokenizerPart::is(const char* key, bool otherwise) const {
  const TokenizerPart found = at(key);
  if (!found.there()) return otherwise;
  if (!found.value.is_boolean()) refuse(std::string("has a ") + key + " that is neither true nor false");
  return found.value.get<bool>();
}

void TokenizerPart::refuse(const std::string& what) const {
  place.fail("its " + name + " " + what + ", which is not known here", "a tokenizer as of GPT-2, BERT or LLaMA");
}

Normalizer normalizer_of(const TokenizerPart& part) {
  if (!part.there()) return {};
  const std::string type = part.type();
  if (type == "Sequence") {
    std::vector<Normalizer> steps;
    for (const TokenizerPart& step : part.list("normalizers")) steps.push_back(normalizer_of(step));
    return one_after_another(std::move(steps));
  }
  if (type == "BertNormalizer") return bert_of(part);
  if (type == "Lowercase") return lower_case();
  if (type == "Prepend") return prepending(part.text("prepend"));
  if (type == "Replace") {
    const std::string from = part.at("pattern").text("String");
    if (from.empty()) part.refuse("replaces by a regular expression");
    return replacing(from, part.text("content"));
  }
  static const std::map<std::string, UnicodeForm> forms{
      {"NFC", UnicodeForm::nfc}, {"NFD", UnicodeForm::nfd}, {"NFKC", UnicodeForm::nfkc}, {"NFKD", UnicodeForm::nfkd}};
  if (const auto form = forms.find(type); form != forms.end()) return unicode_form(form->second);
  part.refuse("is " + in_quotes(type));
}

void append_pre_tokenizer(const TokenizerPart& part, TokenizerParts& parts) {
  if (!part.there()) return;
  const std::string type = part.type();
  if (type == "Sequence") {
    for (const TokenizerPart& step : part.list("pretokenizers")) append_pre_tokenizer(step, parts);
  } else if (type == "ByteLevel") {
    parts.byte_level = true;
    parts.words.push_back(byte_level(part.is("add_prefix_space", true), part.is("use_regex", true)));
  } else if (type == "BertPreTokenizer") {
    parts.words.push_back(bert_words());
  } else if (type == "Whitespace") {
    parts.words.push_back(signs_apart());
  } else if (type == "WhitespaceSplit") {
    parts.words.push_back(between_blanks());
  } else if (type == "Metaspace") {
    parts.words.push_back(metaspace_of(part));
  } else if (type == "Split") {
    parts.words.push_back(split_of(part));
  } else {
    part.refuse("is " + in_quotes(type));
  }
}

}  // namespace headlight
