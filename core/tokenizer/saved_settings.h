// What lies beside a vocabulary: the settings that transformers saves with a tokenizer, and its lines.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/tokenizer/json_steps.h"

namespace headlight {

/// tokenizer_config.json, special_tokens_map.json, added_tokens.json and the model_type of config.json, as far as they
/// are there. Throws FileError where one is damaged.
class SavedSettings {
 public:
  explicit SavedSettings(const std::filesystem::path& folder);

  std::optional<bool> flag(const char* name) const;
  std::optional<Index> whole(const char* name) const;
  /// config.json's vocab_size.
  std::optional<Index> vocabulary() const;
  /// Of a special token, such as "bos_token".
  std::optional<std::string> token(const char* name) const;
  /// The tokenizer's class without "Fast": what tokenizer_config.json says, else what the model's type usually has.
  std::string tokenizer_class() const;
  /// Tokens beside the vocabulary, which it gains; and the special ones that are there, as they are found in a text.
  std::vector<AddedToken> added_tokens(Vocabulary& vocabulary) const;

 private:
  Json settings_, names_, added_, model_;
  std::filesystem::path folder_;
};

/// vocab.json: {"token": id, …}.
Vocabulary read_vocabulary(const std::filesystem::path& path);
/// Without their ends. Throws FileError for more than a vocabulary could need.
std::vector<std::string> lines_of(const std::filesystem::path& path, const ErrorPlace& place);

}  // namespace headlight
