// Reading JSON with errors that say where: `a.json: $.edits[2].row: "x" is not …; expected …`.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "core/tensor/tensor.h"

namespace headlight {

using Json = nlohmann::json;

/// A value in a file and how to get there: "$.edits[2].row".
struct Place {
  const Json& value;
  std::string path;
  const std::string& file;

  [[noreturn]] void fail(const std::string& wrong, const std::string& expected) const;
  /// What stands there is not `expected`.
  [[noreturn]] void fail_type(const std::string& expected) const;
  Place at(const std::string& key) const { return {value.at(key), path + "." + key, file}; }
  Place at(std::size_t index) const { return {value.at(index), path + "[" + std::to_string(index) + "]", file}; }
  bool has(const char* key) const { return value.contains(key); }
};

void require_object(const Place& place);
/// An object without other keys than these.
void allow_only(const Place& place, const std::set<std::string>& known);

// Takes what stands there, or says what should.
void read(const Place& at, bool& out);
void read(const Place& at, std::string& out);
/// Not negative, as a size or an index; nor is the next.
void read(const Place& at, std::uint64_t& out);
void read(const Place& at, Index& out);
/// JSON has no infinities: they are the words "inf", "-inf" and "nan".
void read(const Place& at, float& out);

/// The JSON of a small file, or of text; `subject` stands in errors for the file's name. Throws FileError.
Json read_json(const std::string& path);
Json parse_json(const std::string& text, const std::string& subject);

}  // namespace headlight
