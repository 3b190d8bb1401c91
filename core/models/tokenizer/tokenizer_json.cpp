// Hugging Face's tokenizer.json (https://huggingface.co/docs/tokenizers): BPE, WordPiece, Unigram, whole words.

#include <algorithm>

#include "core/base/files/load_budget.h"
#include "core/base/tensor/message.h"
#include "core/base/text/utf8_path.h"
#include "core/models/tokenizer/json_steps.h"
#include "core/models/tokenizer/saved_settings.h"

namespace headlight {
namespace {

std::vector<AddedToken> added_tokens(const TokenizerPart& whole) {
  std::vector<AddedToken> tokens;
  for (const TokenizerPart& item : whole.list("added_tokens")) {
    const TokenizerPart part{item.value, "added_tokens", item.place};
    const Json& id = part.at("id").value;
    if (!id.is_number_unsigned()) part.refuse("has a token without an id");
    tokens.push_back({token_id(id, part.text("content"), part.place), part.text("content"),
                      part.is("normalized", !part.is("special", false)), part.is("lstrip", false),
                      part.is("rstrip", false), part.is("single_word", false)});
  }
  return tokens;
}

/// The token that "padding" names, else an added token that is usual for it.
Token padding_of(const TokenizerPart& whole, const std::vector<AddedToken>& added) {
  const TokenizerPart padding = whole.at("padding");
  const Json& id = padding.at("pad_id").value;
  if (id.is_number_unsigned()) return {token_id(id, "pad_token", whole.place), padding.text("pad_token", "[PAD]")};
  for (const AddedToken& token : added) {
    if (token.text == "[PAD]" || token.text == "<pad>") return {token.id, token.text};
  }
  return {0, "<pad>"};
}

/// Adds what transformers reads from the files beside tokenizer.json: more tokens, and whether lines begin with
/// "bos_token" and end with "eos_token".
void add_saved(const SavedSettings& saved, TokenizerParts& parts) {
  Vocabulary known;
  for (const AddedToken& token : parts.added) known.emplace(token.text, token.id);
  for (const AddedToken& token : saved.added_tokens(known)) {
    if (std::ranges::find(parts.added, token.text, &AddedToken::text) == parts.added.end())
      parts.added.push_back(token);
  }
  // For these classes the settings can also remove a token; for others they only add one.
  const auto can_remove = [&] {
    const std::string type = saved.tokenizer_class();
    return type == "LlamaTokenizer" || type == "CodeLlamaTokenizer" || type == "GemmaTokenizer" ||
           type == "CohereTokenizer";
  };
  const auto apply = [&](const char* flag, const char* name, std::vector<Token>& around) {
    const std::optional<bool> wanted = saved.flag(flag);
    const std::optional<std::string> text = saved.token(name);
    if (!wanted || !text || !known.contains(*text)) return;
    const Token token{known.at(*text), *text};
    const bool present = std::ranges::find(around, token) != around.end();
    if (*wanted && !present)
      around.insert(name == std::string_view("bos_token") ? around.begin() : around.end(), token);
    if (!*wanted && present && can_remove()) std::erase(around, token);
  };
  apply("add_bos_token", "bos_token", parts.before);
  apply("add_eos_token", "eos_token", parts.after);
}

std::unique_ptr<const TokenSplitter> tokenizer_of(const Json& json, const ErrorPlace& place,
                                                  const SavedSettings* saved) {
  if (!json.is_object() || !json.contains("model")) place.fail("is no tokenizer.json", "a JSON object with a model");
  const TokenizerPart whole{json, "tokenizer", place};
  const auto part = [&](const char* name) { return TokenizerPart{whole.at(name).value, name, place}; };
  TokenizerParts parts;
  parts.added = added_tokens(whole);
  parts.normalizer = normalizer_of(part("normalizer"));
  append_pre_tokenizer(part("pre_tokenizer"), parts);
  parts.model = model_of(part("model"));
  read_post_processor(part("post_processor"), parts);
  if (saved) add_saved(*saved, parts);
  parts.padding = padding_of(whole, parts.added);
  parts.made_from = {parts.byte_level ? "tokenizer.json: {0} over bytes" : "tokenizer.json: {0}",
                     part("model").text("type", "BPE")};
  return assembled(std::move(parts));
}

}  // namespace

std::unique_ptr<const TokenSplitter> open_tokenizer_json(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  const SavedSettings saved(path.parent_path());
  return tokenizer_of(read_tokenizer_json(path, place), place, &saved);
}

std::unique_ptr<const TokenSplitter> tokenizer_of_json(const std::string& text, const std::string& name) {
  return tokenizer_of(Json::parse(text, nullptr, false), ErrorPlace{name}, nullptr);
}

// "model" and "post_processor" of a tokenizer.json.
namespace {

Vocabulary vocabulary_of(const TokenizerPart& part) {
  const TokenizerPart list = part.at("vocab");
  if (!list.value.is_object() || list.value.empty()) part.place.fail("its model has no vocab", "{\"token\": id, …}");
  Vocabulary vocabulary;
  for (const auto& [token, id] : list.value.items()) vocabulary.emplace(token, token_id(id, token, part.place));
  return vocabulary;
}

/// "a b", or ["a", "b"] in newer files.
std::pair<std::string, std::string> merge_of(const TokenizerPart& merge) {
  if (merge.value.is_array() && merge.value.size() == 2 && merge.value[0].is_string() && merge.value[1].is_string())
    return {merge.value[0].get<std::string>(), merge.value[1].get<std::string>()};
  const std::string text = merge.value.is_string() ? merge.value.get<std::string>() : std::string();
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) merge.place.fail("one of its merges is no pair", "\"a b\" or [\"a\", \"b\"]");
  return {text.substr(0, blank), text.substr(blank + 1)};
}

std::unique_ptr<const TokenModel> pairs_of(const TokenizerPart& part) {
  if (part.at("dropout").there() && part.at("dropout").value != 0) part.refuse("has a dropout");
  PairRules rules;
  rules.vocabulary = vocabulary_of(part);
  for (const TokenizerPart& merge : part.list("merges")) rules.merges.push_back(merge_of(merge));
  if (part.at("unk_token").there()) rules.unknown = part.text("unk_token");
  rules.join_unknown = part.is("fuse_unk", false);
  rules.bytes = part.is("byte_fallback", false);
  rules.whole_words = part.is("ignore_merges", false);
  rules.inner = part.text("continuing_subword_prefix");
  rules.last = part.text("end_of_word_suffix");
  return pair_model(std::move(rules), part.place.path);
}

std::unique_ptr<const TokenModel> pieces_of(const TokenizerPart& part) {
  PieceRules rules;
  rules.vocabulary = vocabulary_of(part);
  rules.unknown = part.text("unk_token", rules.unknown);
  rules.inner = part.text("continuing_subword_prefix", rules.inner);
  const TokenizerPart longest = part.at("max_input_chars_per_word");
  if (longest.value.is_number_unsigned()) rules.longest_word = longest.value.get<std::size_t>();
  return piece_model(std::move(rules));
}

/// "vocab": [["▁the", −3.4], …]: a piece's id is its place in the list.
std::unique_ptr<const TokenModel> unigram_of(const TokenizerPart& part) {
  UnigramRules rules;
  for (const TokenizerPart& item : part.list("vocab")) {
    const Json& pair = item.value;
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_number())
      part.place.fail("one of its pieces has no score", "[\"piece\", score]");
    rules.pieces.push_back({pair[0].get<std::string>(), pair[1].get<double>()});
  }
  if (rules.pieces.empty()) part.place.fail("its model has no vocab", "[[\"piece\", score], …]");
  if (const TokenizerPart unknown = part.at("unk_id"); unknown.there())
    rules.unknown = token_id(unknown.value, "unk_id", part.place);
  rules.bytes = part.is("byte_fallback", false);
  return unigram_model(std::move(rules), part.place.path);
}

std::unique_ptr<const TokenModel> words_of(const TokenizerPart& part) {
  return word_model({.vocabulary = vocabulary_of(part), .unknown = part.text("unk_token", "<unk>")});
}

/// ["[SEP]", 102]
Token pair_token(const TokenizerPart& part, const char* key) {
  const Json& pair = part.at(key).value;
  const bool good = pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_number_unsigned();
  if (!good) part.refuse(Message("has a {0} that is no token", key));
  const std::string text = pair[0].get<std::string>();
  return {token_id(pair[1], text, part.place), text};
}

/// {"id": "<s>", "ids": [1], "tokens": ["<s>"]} of special_tokens.
void append_special(const TokenizerPart& part, const std::string& id, std::vector<Token>& tokens) {
  const TokenizerPart known = part.at("special_tokens").at(id.c_str());
  const Json& ids = known.at("ids").value;
  const Json& names = known.at("tokens").value;
  LoadBudget(part.place).tokens(tokens.size() + ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool good =
        ids.is_array() && ids[i].is_number_unsigned() && names.is_array() && i < names.size() && names[i].is_string();
    if (!good) part.refuse(Message("has a special token {0} without its id", in_quotes(id)));
    const std::string text = names[i].get<std::string>();
    tokens.push_back({token_id(ids[i], text, part.place), text});
  }
  if (ids.empty()) part.refuse(Message("names the special token {0}", in_quotes(id)));
}

void read_template(const TokenizerPart& part, TokenizerParts& parts) {
  bool line_seen = false;
  for (const TokenizerPart& item : part.list("single")) {
    const TokenizerPart special = item.at("SpecialToken");
    if (special.there()) {
      append_special(part, special.text("id"), line_seen ? parts.after : parts.before);
    } else if (!item.at("Sequence").there() || std::exchange(line_seen, true)) {
      part.refuse("has another template than tokens around a line");
    }
  }
  if (!line_seen) part.refuse("has a template without the line");
}

}  // namespace

std::unique_ptr<const TokenModel> model_of(const TokenizerPart& part) {
  // Older files do not name the type.
  const std::string type = part.text("type", part.at("merges").there()   ? "BPE"
                                             : part.at("unk_id").there() ? "Unigram"
                                                                         : "");
  if (type == "BPE") return pairs_of(part);
  if (type == "WordPiece") return pieces_of(part);
  if (type == "Unigram") return unigram_of(part);
  if (type == "WordLevel") return words_of(part);
  part.refuse(Message("is {0}", in_quotes(type)));
}

void read_post_processor(const TokenizerPart& part, TokenizerParts& parts) {
  if (!part.there()) return;
  const std::string type = part.text("type");
  if (type == "Sequence") {
    for (const TokenizerPart& step : part.list("processors")) read_post_processor(step, parts);
  } else if (type == "TemplateProcessing") {
    read_template(part, parts);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    parts.before.push_back(pair_token(part, "cls"));
    parts.after.push_back(pair_token(part, "sep"));
  } else if (type != "ByteLevel") {  // it only changes where tokens lie in the text
    part.refuse(Message("is {0}", in_quotes(type)));
  }
}

}  // namespace headlight
