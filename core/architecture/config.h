// config.json of a model, read by those who know its fields: every field that was asked for is known, and what is left
// over is harmless, named, or refused.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/tensor/message.h"
#include "core/tensor/tensor.h"

namespace headlight {

class Config {
 public:
  /// Of a file. Throws FileError where it is no JSON object.
  static Config read(const std::filesystem::path& path);
  /// `partial`: of a layer alone, which may lack what the rest of the network needs; whole numbers that are missing are
  /// 0 then.
  Config(nlohmann::json fields, std::string path, bool partial = false)
      : fields_(std::move(fields)), path_(std::move(path)), partial_(partial) {}

  const std::string& path() const { return path_; }
  const nlohmann::json& fields() const { return fields_; }
  /// The first of the names that is there and not null. All of them count as known from now on.
  const nlohmann::json* find(std::initializer_list<std::string_view> names) const;
  bool has(std::string_view name) const { return find({name}) != nullptr; }

  // Under the first of the names that is there; without a fallback it must be. Throw FileError.
  Index whole(std::initializer_list<std::string_view> names) const;
  Index whole(std::initializer_list<std::string_view> names, Index fallback) const;
  double number(std::initializer_list<std::string_view> names) const;
  double number(std::initializer_list<std::string_view> names, double fallback) const;
  bool flag(std::initializer_list<std::string_view> names, bool fallback) const;
  std::string text(std::initializer_list<std::string_view> names, const std::string& fallback) const;

  /// Throws FileError where the field is there and is neither null nor `harmless`: "its alibi is true; expected false".
  void refuse_unless(std::string_view name, const nlohmann::json& harmless, const Message& expected = {}) const;
  /// Fields that nobody asked for and that are not known to be harmless. Those whose names say that they may change
  /// attention are refused (FileError); the others are returned.
  std::vector<std::string> unknown_fields() const;
  /// Of those that nobody asked for, the ones whose names say that they may change an attention.
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
