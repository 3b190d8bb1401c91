// The parts of a tokenizer.json as functions. Unknown parts are refused by name.
#pragma once

#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/files/error_place.h"
#include "core/models/tokenizer/token_pipeline.h"

namespace headlight {

using Json = nlohmann::json;

/// The JSON of a tokenizer's file; discarded if it is no JSON. Throws FileError if it is larger than one can be.
Json read_tokenizer_json(const std::filesystem::path& path, const ErrorPlace& place);
/// A token's id. Throws FileError if it is no number, or larger than any vocabulary.
Index token_id(const Json& id, std::string_view token, const ErrorPlace& place);

/// A place in a tokenizer.json, for errors: its part and name.
struct TokenizerPart {
  const Json& value;
  std::string name;  ///< "pre_tokenizer"
  const ErrorPlace& place;
  int depth = 0;  ///< of lists in lists

  bool there() const { return !value.is_null(); }
  TokenizerPart at(const char* key) const;
  std::vector<TokenizerPart> list(const char* key) const;
  std::string text(const char* key, const std::string& otherwise = {}) const;
  bool is(const char* key, bool otherwise) const;
  /// "its pre_tokenizer is "Digits", which is not known here"
  [[noreturn]] void refuse(const Message& what) const;
};

Normalizer normalizer_of(const TokenizerPart& part);
/// Appends to words, and records whether they are spelled byte by byte.
void append_pre_tokenizer(const TokenizerPart& part, TokenizerParts& parts);
std::unique_ptr<const TokenModel> model_of(const TokenizerPart& part);
/// Fills before and after.
void read_post_processor(const TokenizerPart& part, TokenizerParts& parts);

}  // namespace headlight
