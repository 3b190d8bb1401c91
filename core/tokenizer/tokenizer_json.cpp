// Hugging Face's tokenizer.json (https://huggingface.co/docs/tokenizers): BPE, WordPiece, Unigram, whole words.
#include <algorithm>

#include "core/text/utf8_path.h"
#include "core/tokenizer/json_steps.h"
#include "core/tokenizer/saved_settings.h"

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
  const std::string type = saved.tokenizer_class();
  // For these classes the settings can also remove a token; for others they only add one.
  const bool can_remove =
      type == "LlamaTokenizer" || type == "CodeLlamaTokenizer" || type == "GemmaTokenizer" || type == "CohereTokenizer";
  const auto apply = [&](const char* flag, const char* name, std::vector<Token>& around) {
    const std::optional<bool> wanted = saved.flag(flag);
    const std::optional<std::string> text = saved.token(name);
    if (!wanted || !text || !known.contains(*text)) return;
    const Token token{known.at(*text), *text};
    const bool present = std::ranges::find(around, token) != around.end();
    if (*wanted && !present)
      around.insert(name == std::string_view("bos_token") ? around.begin() : around.end(), token);
    if (!*wanted && present && can_remove) std::erase(around, token);
  };
  apply("add_bos_token", "bos_token", parts.before);
  apply("add_eos_token", "eos_token", parts.after);
}

}  // namespace

std::unique_ptr<const TokenSplitter> open_tokenizer_json(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  const Json json = read_tokenizer_json(path, place);
  if (!json.is_object() || !json.contains("model")) place.fail("is no tokenizer.json", "a JSON object with a model");
  const TokenizerPart whole{json, "tokenizer", place};
  const auto part = [&](const char* name) { return TokenizerPart{whole.at(name).value, name, place}; };
  TokenizerParts parts;
  parts.added = added_tokens(whole);
  parts.normalizer = normalizer_of(part("normalizer"));
  append_pre_tokenizer(part("pre_tokenizer"), parts);
  parts.model = model_of(part("model"));
  read_post_processor(part("post_processor"), parts);
  add_saved(SavedSettings(path.parent_path()), parts);
  parts.padding = padding_of(whole, parts.added);
  parts.made_from = {parts.byte_level ? "tokenizer.json: {0} over bytes" : "tokenizer.json: {0}",
                     part("model").text("type", "BPE")};
  return assembled(std::move(parts));
}

}  // namespace headlight
