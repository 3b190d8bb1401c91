#include "core/models/tokenizer/saved_settings.h"

#include <algorithm>
#include <iterator>

#include "core/base/files/load_budget.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"

namespace headlight {
namespace {

Json read_if_present(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return Json::object();
  return read_json_object(path, "a JSON object as transformers saves it");
}

const Json& field(const Json& object, const char* name) {
  static const Json nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

/// "<s>", or {"content": "<s>", …}.
std::optional<std::string> content_of(const Json& token) {
  const Json& content = token.is_object() ? field(token, "content") : token;
  return content.is_string() ? std::optional(content.get<std::string>()) : std::nullopt;
}

bool is_set(const Json& token, const char* name) { return token.is_object() && field(token, name) == true; }

/// A tokenizer's class and the values of config.json's "model_type" that usually have it, between blanks.
struct UsualClass {
  const char* tokenizer;
  std::string_view models;
};
constexpr UsualClass usual_classes[] = {
    {"RobertaTokenizer", " roberta roberta-prelayernorm bart mvp longformer led "},
    {"T5Tokenizer", " t5 mt5 umt5 "},
    {"LlamaTokenizer", " llama mistral mixtral phi3 "},
    {"GemmaTokenizer", " gemma gemma2 gemma3_text "},
    {"XLMRobertaTokenizer", " xlm-roberta "},
    {"CamembertTokenizer", " camembert "},
    {"MBartTokenizer", " mbart "},
    {"MarianTokenizer", " marian "},
};

std::optional<Index> whole_number(const Json& value) {
  return value.is_number_unsigned() ? std::optional(value.get<Index>()) : std::nullopt;
}

}  // namespace

SavedSettings::SavedSettings(const std::filesystem::path& folder)
    : settings_(read_if_present(folder / "tokenizer_config.json")),
      names_(read_if_present(folder / "special_tokens_map.json")),
      added_(read_if_present(folder / "added_tokens.json")),
      folder_(folder) {}

const Json& SavedSettings::model() const {
  if (!model_) model_ = read_if_present(folder_ / "config.json");
  return *model_;
}

std::optional<bool> SavedSettings::flag(const char* name) const {
  const Json& value = field(settings_, name);
  return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
}

std::optional<std::string> SavedSettings::token(const char* name) const {
  if (auto text = content_of(field(settings_, name))) return text;
  return content_of(field(names_, name));
}

std::string SavedSettings::tokenizer_class() const {
  if (const Json& saved = field(settings_, "tokenizer_class"); saved.is_string()) {
    std::string name = saved.get<std::string>();
    return name.ends_with("Fast") ? name.substr(0, name.size() - 4) : name;
  }
  const Json& type = field(model(), "model_type");
  const std::string model = " " + (type.is_string() ? type.get<std::string>() : "") + " ";
  const auto* found = std::ranges::find_if(
      usual_classes, [&](const UsualClass& each) { return each.models.find(model) != std::string_view::npos; });
  return found == std::end(usual_classes) ? "GPT2Tokenizer" : found->tokenizer;
}

std::optional<Index> SavedSettings::whole(const char* name) const { return whole_number(field(settings_, name)); }

std::optional<Index> SavedSettings::vocabulary() const { return whole_number(field(model(), "vocab_size")); }

std::vector<AddedToken> SavedSettings::added_tokens(Vocabulary& vocabulary) const {
  std::vector<AddedToken> tokens;
  const auto add = [&](const std::string& text, const Json& how) {
    const auto id = vocabulary.find(text);
    if (text.empty() || id == vocabulary.end() || std::ranges::find(tokens, text, &AddedToken::text) != tokens.end())
      return;
    tokens.push_back({id->second, text, is_set(how, "normalized"), is_set(how, "lstrip"), is_set(how, "rstrip"),
                      is_set(how, "single_word")});
  };
  const ErrorPlace place{utf8_from(folder_ / "added_tokens.json")};
  if (const Json& decoder = field(settings_, "added_tokens_decoder"); decoder.is_object()) {
    for (const auto& [id, token] : decoder.items()) {
      const Index number = number_of_text<Index>(id).value_or(-1);
      const auto text = content_of(token);
      if (!text || number < 0) continue;
      vocabulary.emplace(*text, number);
      add(*text, token);
    }
  }
  for (const auto& [text, id] : added_.items()) {
    vocabulary.emplace(text, token_id(id, text, place));
    add(text, {});
  }
  for (const char* name :
       {"bos_token", "eos_token", "unk_token", "sep_token", "cls_token", "pad_token", "mask_token"}) {
    const Json& how = field(settings_, name).is_null() ? field(names_, name) : field(settings_, name);
    if (const auto text = content_of(how)) add(*text, how);
  }
  return tokens;
}

Vocabulary read_vocabulary(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  const Json json = read_tokenizer_json(path, place);
  if (!json.is_object()) place.fail("no JSON object", "{\"token\": id, …}");
  Vocabulary vocabulary;
  for (const auto& [token, id] : json.items()) vocabulary.emplace(token, token_id(id, token, place));
  return vocabulary;
}

std::vector<std::string> lines_of(const std::filesystem::path& path, const ErrorPlace& place) {
  LoadBudget budget(place);
  const std::string text = budget.text_of(path);
  std::vector<std::string> lines;
  for (const std::string_view line : Split(text, '\n')) {
    budget.strings(1);
    lines.emplace_back(without_return(line));
  }
  return lines;
}

}  // namespace headlight
