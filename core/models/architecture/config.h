// config.json of a model, read by the builders: a field that a builder asks for counts as known; every other field is
// harmless, named in a note, or refused.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/tensor/message.h"
#include "core/base/tensor/tensor.h"
#include "core/base/text/texts.h"

namespace headlight {

/// Whether `holds` is true for one of the words in a list, which blanks separate.
template <typename Holds>
bool any_word(std::string_view list, Holds holds) {
  for (const std::string_view word : Split(list, ' ')) {
    if (holds(word)) return true;
  }
  return false;
}

class Config {
 public:
  /// Reads a file. Throws FileError if it is no JSON object.
  static Config read(const std::filesystem::path& path);
  /// `partial`: for a single layer; fields that the rest of the network needs may be missing, and missing integers
  /// are then 0.
  Config(nlohmann::json fields, std::string path, bool partial = false)
      : fields_(std::move(fields)), path_(std::move(path)), partial_(partial) {}

  const std::string& path() const { return path_; }
  const nlohmann::json& fields() const { return fields_; }
  /// The first of the names that exists and is not null. All of them count as known from now on.
  const nlohmann::json* find(std::initializer_list<std::string_view> names) const;
  bool has(std::string_view name) const { return find({name}) != nullptr; }

  // The value under the first of the names that exists; without a fallback one must exist. They throw FileError.
  Index whole(std::initializer_list<std::string_view> names) const;
  Index whole(std::initializer_list<std::string_view> names, Index fallback) const;
  double number(std::initializer_list<std::string_view> names) const;
  double number(std::initializer_list<std::string_view> names, double fallback) const;
  bool flag(std::initializer_list<std::string_view> names, bool fallback) const;
  std::string text(std::initializer_list<std::string_view> names, const std::string& fallback) const;

  /// Throws FileError if the field exists and is neither null nor `harmless`: "its alibi is true; expected false".
  void refuse_unless(std::string_view name, const nlohmann::json& harmless, const Message& expected = {}) const;
  /// Fields that no builder asked for and that are not known to be harmless. Throws FileError for those whose names
  /// suggest that they change attention; returns the others.
  std::vector<std::string> unknown_fields() const;
  /// The fields that no builder asked for and whose names suggest that they change attention.
  std::vector<std::string> unknown_attention_fields() const;
  [[noreturn]] void fail(const Message& wrong, const Message& expected) const;

 private:
  const nlohmann::json& wanted(std::initializer_list<std::string_view> names) const;

  nlohmann::json fields_;
  std::string path_;
  bool partial_ = false;
  mutable std::set<std::string, std::less<>> known_;
};

}  // namespace headlight
