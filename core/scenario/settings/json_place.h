// Reads JSON with errors that name the position: `a.json: $.edits[2].row: "x" is not …; expected …`.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/tensor/message.h"
#include "core/base/tensor/tensor.h"
#include "core/base/text/texts.h"
#include "core/scenario/settings/scenario.h"
#include "core/scenario/settings/scenario_view.h"

namespace headlight {

using Json = nlohmann::json;

/// A value in a file with its path: "$.edits[2].row".
struct Place {
  const Json& value;
  std::string path;
  const std::string& file;

  [[noreturn]] void fail(const Message& wrong, const Message& expected) const;
  /// Throws an error that this value is not `expected`.
  [[noreturn]] void fail_type(const Message& expected) const;
  Place at(const std::string& key) const { return {value.at(key), path + "." + key, file}; }
  Place at(std::size_t index) const { return {value.at(index), path + "[" + std::to_string(index) + "]", file}; }
  bool has(const char* key) const { return value.contains(key); }
};

void require_object(const Place& place);
/// Throws if the object has other keys than these.
void allow_only(const Place& place, const std::set<std::string>& known);

// Read a value, or throw an error that says what was expected.
void read(const Place& at, bool& out);
void read(const Place& at, std::string& out);
/// Not negative: for sizes and indices.
void read(const Place& at, std::uint64_t& out);
void read(const Place& at, Index& out);
/// Also accepts "inf", "-inf" and "nan", since JSON has no such numbers.
void read(const Place& at, float& out);
/// A text, or several by language: "x" or {"en": "x", "zh": "…"}.
Texts words_at(const Place& at);

/// The JSON of a small file or a text; `subject` replaces the file's name in errors. Throws FileError.
Json read_json(const std::string& path);
Json parse_json(const std::string& text, const std::string& subject);

// A scenario within a JSON document: a scenario file or a lesson.
Scenario scenario_at(const Place& at);
/// Sets one setting from JSON text, as on a command line; `subject` is used in errors. Throws SettingError.
void read_setting(std::string_view key, const std::string& json, const std::string& subject, Scenario& scenario);
/// The value of that setting as JSON text.
std::string setting_json(std::string_view key, const Scenario& scenario);
/// Resolves the paths in the scenario, which are relative to the folder of its file.
void resolve_files(Scenario& scenario, const std::string& scenario_path);

}  // namespace headlight
