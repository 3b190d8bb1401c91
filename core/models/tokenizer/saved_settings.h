// The files beside a vocabulary: the settings that transformers saves with a tokenizer, and lists of lines.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/models/tokenizer/json_steps.h"

namespace headlight {

/// tokenizer_config.json, special_tokens_map.json, added_tokens.json and the model_type of config.json, if they
/// exist. Throws FileError if one is damaged.
class SavedSettings {
 public:
  explicit SavedSettings(const std::filesystem::path& folder);

  std::optional<bool> flag(const char* name) const;
  std::optional<Index> whole(const char* name) const;
  /// config.json's vocab_size.
  std::optional<Index> vocabulary() const;
  /// The text of a special token, such as "bos_token".
  std::optional<std::string> token(const char* name) const;
  /// The tokenizer's class without "Fast": from tokenizer_config.json, else the usual one of the model's type.
  std::string tokenizer_class() const;
  /// Adds the added tokens to the vocabulary, and returns them and the special ones, to be found in a text.
  std::vector<AddedToken> added_tokens(Vocabulary& vocabulary) const;

 private:
  /// config.json, read when it is first asked for.
  const Json& model() const;

  Json settings_, names_, added_;
  mutable std::optional<Json> model_;
  std::filesystem::path folder_;
};

/// vocab.json: {"token": id, …}.
Vocabulary read_vocabulary(const std::filesystem::path& path);
/// Lines without their ends. Throws FileError if there are more than a vocabulary can have.
std::vector<std::string> lines_of(const std::filesystem::path& path, const ErrorPlace& place);

}  // namespace headlight
