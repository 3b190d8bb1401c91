// Hugging Face's tokenizer.json (https://huggingface.co/docs/tokenizers): BPE and WordPiece.
#include "core/text/utf8_path.h"
#include "core/tokenizer/json_steps.h"

namespace headlight {
namespace {

std::vector<AddedToken> added_tokens(const TokenizerPart& whole) {
  std::vector<AddedToken> tokens;
  for (const TokenizerPart& item : whole.list("added_tokens")) {
    const TokenizerPart part{item.value, "added_tokens", item.place};
    const Json& id = part.at("id").value;
    if (!id.is_number_unsigned()) part.refuse("has a token without an id");
    if (part.is("single_word", false)) part.refuse("has a single_word, " + in_quotes(part.text("content")));
    tokens.push_back({token_id(id, part.text("content"), part.place), part.text("content"),
                      part.is("normalized", !part.is("special", false)), part.is("lstrip", false),
                      part.is("rstrip", false)});
  }
  return tokens;
}

/// What "padding" names, else a token that is there for it.
Token padding_of(const TokenizerPart& whole, const std::vector<AddedToken>& added) {
  const TokenizerPart said = whole.at("padding");
  const Json& id = said.at("pad_id").value;
  if (id.is_number_unsigned()) return {token_id(id, "pad_token", whole.place), said.text("pad_token", "[PAD]")};
  for (const AddedToken& token : added) {
    if (token.text == "[PAD]" || token.text == "<pad>") return {token.id, token.text};
  }
  return {0, "<pad>"};
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
  parts.padding = padding_of(whole, parts.added);
  parts.made_from = "tokenizer.json: " + part("model").text("type", "BPE") + (parts.byte_level ? " over bytes" : "");
  return assembled(std::move(parts));
}

}  // namespace headlight
