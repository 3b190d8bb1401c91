#include "core/scenario/scenario_json.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "core/assets/assets.h"
#include "core/files/whole_file.h"
#include "core/scenario/settings.h"
#include "core/scenario/tensor_file.h"
#include "core/scenario/words.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
constexpr int format_version = 1;

/// A value in a file and how to get there: "$.edits[2].row".
struct Place {
  const Json& value;
  std::string path;
  const std::string& file;

  [[noreturn]] void fail(const std::string& wrong, const std::string& expected) const {
    throw FileError(file, path + ": " + wrong, "expected " + expected);
  }
  [[noreturn]] void fail_type(const std::string& expected) const {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    fail(text + " is not " + expected, expected);
  }
  Place at(const std::string& key) const { return {value.at(key), path + "." + key, file}; }
  Place at(std::size_t index) const { return {value.at(index), path + "[" + std::to_string(index) + "]", file}; }
  bool has(const char* key) const { return value.contains(key); }
};

void require_object(const Place& place) {
  if (!place.value.is_object()) place.fail_type("an object");
}

void allow_only(const Place& place, const std::set<std::string>& known) {
  require_object(place);
  for (const auto& [key, unused] : place.value.items()) {
    if (known.contains(key)) continue;
    std::string names;
    for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
    throw FileError(place.file, place.path + "." + key + ": no such field", "expected one of " + names);
  }
}

// Reading, by type. Each takes what stands there, or says what should.

void read(const Place& at, bool& out) {
  if (!at.value.is_boolean()) at.fail_type("true or false");
  out = at.value.get<bool>();
}

void read(const Place& at, std::string& out) {
  if (!at.value.is_string()) at.fail_type("a string");
  out = at.value.get<std::string>();
}

void read(const Place& at, std::uint64_t& out) {
  if (!at.value.is_number_unsigned()) at.fail_type("a whole number, 0 or more");
  out = at.value.get<std::uint64_t>();
}

/// A size or an index. Negative numbers are never meant.
void read(const Place& at, Index& out) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  if (!at.value.is_number_unsigned() || at.value.get<std::uint64_t>() > most) at.fail_type("a whole number, 0 or more");
  out = at.value.get<Index>();
}

/// JSON has no infinities: they are the words "inf", "-inf" and "nan".
void read(const Place& at, float& out) {
  constexpr const char* expected = "a number, \"inf\", \"-inf\" or \"nan\"";
  if (at.value.is_string()) {
    const auto& text = at.value.get_ref<const std::string&>();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (text != "inf" && text != "-inf" && text != "nan") at.fail_type(expected);
    out = text == "inf" ? infinity : text == "-inf" ? -infinity : std::numeric_limits<float>::quiet_NaN();
    return;
  }
  if (!at.value.is_number()) at.fail_type(expected);
  out = at.value.get<float>();
  if (!std::isfinite(out)) at.fail_type("a number that fits in 32 bits");
}

template <typename Choice>
requires std::is_enum_v<Choice>
void read(const Place& at, Choice& out) {
  const auto choice = at.value.is_string() ? choice_named<Choice>(at.value.get<std::string>()) : std::nullopt;
  if (!choice) at.fail_type(all_words<Choice>());
  out = *choice;
}

template <typename T>
void read(const Place& at, std::optional<T>& out) {
  if (at.value.is_null()) {
    out.reset();
  } else {
    read(at, out.emplace());
  }
}

template <typename T>
void read_if_there(const Place& object, const char* key, T& out) {
  if (object.has(key)) read(object.at(key), out);
}

void read(const Place& at, CellEdit& out) {
  allow_only(at, {"stage", "batch", "row", "col", "value"});
  if (!at.has("stage") || !at.has("value")) at.fail_type("an object with a stage and a value");
  const Place stage = at.at("stage");
  const auto found = stage.value.is_string() ? stage_named(stage.value.get<std::string>()) : std::nullopt;
  if (!found) stage.fail_type("the name of an input or a parameter, such as query or W_q");
  out.stage = *found;
  read_if_there(at, "batch", out.batch);
  read_if_there(at, "row", out.row);
  read_if_there(at, "col", out.col);
  read(at.at("value"), out.value);
}

void read(const Place& at, PaintedCells& out) {
  allow_only(at, {"batch", "head", "query", "key", "queries", "keys", "attend"});
  if (!at.has("query") || !at.has("key") || !at.has("attend")) at.fail_type("an object with query, key and attend");
  read_if_there(at, "batch", out.batch);
  read_if_there(at, "head", out.head);
  read(at.at("query"), out.query);
  read(at.at("key"), out.key);
  read(at.at("attend"), out.attend);
  for (const auto& [field, member] : {std::pair{"queries", &PaintedCells::queries}, {"keys", &PaintedCells::keys}}) {
    read_if_there(at, field, out.*member);
    if (out.*member == 0) at.at(field).fail_type("a whole number, 1 or more");
  }
}

void read(const Place& at, GivenMatrix& out) {
  if (!at.value.is_array() || at.value.empty()) at.fail_type("rows of numbers, [[1, 2], [3, 4]]");
  Buffer values;
  std::size_t cols = 0;
  for (std::size_t i = 0; i < at.value.size(); ++i) {
    const Place row = at.at(i);
    if (!row.value.is_array() || row.value.empty()) row.fail_type("a row of numbers");
    if (i == 0) cols = row.value.size();
    if (row.value.size() != cols) row.fail("has " + std::to_string(row.value.size()) + " numbers", std::to_string(cols) + ", as in the first row");
    for (std::size_t j = 0; j < cols; ++j) read(row.at(j), values.emplace_back());
  }
  out.numbers = Tensor({static_cast<Index>(at.value.size()), static_cast<Index>(cols)}, std::move(values));
}

/// One batch entry's lengths: a number, or a number a query.
void read(const Place& at, std::vector<Index>& out) {
  if (!at.value.is_array()) return read(at, out.emplace_back());
  for (std::size_t i = 0; i < at.value.size(); ++i) read(at.at(i), out.emplace_back());
}

template <typename T>
void read(const Place& at, std::vector<T>& out) {
  if (!at.value.is_array()) at.fail_type("an array");
  out.clear();
  for (std::size_t i = 0; i < at.value.size(); ++i) read(at.at(i), out.emplace_back());
}

// Writing, by type.

template <typename T>
requires(!std::is_enum_v<T>) OrderedJson written(const T& value) {
  return value;
}

/// 0.1f as 0.1, not as 0.10000000149011612, where that reads back as the same float.
OrderedJson written(float value) {
  if (!std::isfinite(value)) return shortest(value);
  const double brief = std::stod(shortest(value));
  return static_cast<float>(brief) == value ? brief : static_cast<double>(value);
}

template <typename Choice>
requires std::is_enum_v<Choice> OrderedJson written(Choice choice) {
  return std::string(word(choice));
}

OrderedJson written(const CellEdit& edit) {
  return {{"stage", std::string(name(edit.stage))},
          {"batch", edit.batch},
          {"row", edit.row},
          {"col", edit.col},
          {"value", written(edit.value)}};
}

OrderedJson written(const PaintedCells& cell) {
  OrderedJson json = OrderedJson::object();
  if (cell.batch >= 0) json["batch"] = cell.batch;
  if (cell.head >= 0) json["head"] = cell.head;
  json["query"] = cell.query;
  json["key"] = cell.key;
  if (cell.queries > 1) json["queries"] = cell.queries;
  if (cell.keys > 1) json["keys"] = cell.keys;
  json["attend"] = cell.attend;
  return json;
}

OrderedJson written(const GivenMatrix& matrix) {
  const MatrixView numbers = matrix.numbers.matrix();
  OrderedJson json = OrderedJson::array();
  for (Index row = 0; row < numbers.rows; ++row) {
    OrderedJson& line = json.emplace_back(OrderedJson::array());
    for (Index col = 0; col < numbers.cols; ++col) line.push_back(written(numbers(row, col)));
  }
  return json;
}

template <typename T>
OrderedJson written(const std::optional<T>& value) {
  return value ? written(*value) : OrderedJson();
}

template <typename T>
OrderedJson written(const std::vector<T>& list) {
  OrderedJson json = OrderedJson::array();
  for (const T& item : list) json.push_back(written(item));
  return json;
}

/// Every field of a scenario, once: `visit(name, member)`.
template <typename Visit>
void for_each_field(Visit visit) {
  visit("source", &Scenario::source);
  visit("text", &Scenario::text);
  visit("tokenizer", &Scenario::tokenizer);
  visit("positions", &Scenario::positions);
  visit("file", &Scenario::file);
  visit("layer", &Scenario::layer);
  visit("text_as_input", &Scenario::text_as_input);
  visit("weight_order", &Scenario::weight_order);
  visit("x", &Scenario::x);
  visit("seed", &Scenario::seed);
  visit("batch_size", &Scenario::batch_size);
  visit("queries", &Scenario::queries);
  visit("keys", &Scenario::keys);
  visit("d_model", &Scenario::d_model);
  visit("d_query", &Scenario::d_query);
  visit("d_key", &Scenario::d_key);
  visit("d_value", &Scenario::d_value);
  visit("d_out", &Scenario::d_out);
  visit("heads", &Scenario::heads);
  visit("kv_heads", &Scenario::kv_heads);
  visit("bias", &Scenario::bias);
  visit("output_projection", &Scenario::output_projection);
  visit("packed", &Scenario::packed);
  visit("weight_gain", &Scenario::weight_gain);
  visit("scale", &Scenario::scale);
  visit("softcap", &Scenario::softcap);
  visit("qk_norm", &Scenario::qk_norm);
  visit("rope", &Scenario::rope);
  visit("rope_base", &Scenario::rope_base);
  visit("alibi", &Scenario::alibi);
  visit("t5_bias", &Scenario::t5_bias);
  visit("t5_bidirectional", &Scenario::t5_bidirectional);
  visit("attn_bias", &Scenario::attn_bias);
  visit("sink_logit", &Scenario::sink_logit);
  visit("mask", &Scenario::mask);
  visit("valid_lens", &Scenario::valid_lens);
  visit("painted", &Scenario::painted);
  visit("mask_file", &Scenario::mask_file);
  visit("mask_polarity", &Scenario::mask_polarity);
  visit("fill", &Scenario::fill);
  visit("dead_row", &Scenario::dead_row);
  visit("dropout", &Scenario::dropout);
  visit("training", &Scenario::training);
  visit("dropout_seed", &Scenario::dropout_seed);
  visit("edits", &Scenario::edits);
}

/// A SettingError's "--kv-heads" as the field's path.
std::string field_path(const Place& at, std::string setting) {
  if (setting.starts_with("--")) setting = setting.substr(2);
  std::replace(setting.begin(), setting.end(), '-', '_');
  return at.path + (setting.empty() ? "" : "." + setting);
}

Scenario scenario_at(const Place& at) {
  require_object(at);
  std::set<std::string> known{"$schema", "version"};
  for_each_field([&](const char* field, auto) { known.insert(field); });
  allow_only(at, known);
  if (at.has("version") && at.at("version").value != format_version) {
    at.at("version").fail_type("version " + std::to_string(format_version) + ", the only one there is");
  }
  Scenario scenario;
  for_each_field([&](const char* field, auto member) { read_if_there(at, field, scenario.*member); });
  if (!at.has("source") && at.has("file")) scenario.source = Source::file;
  if (scenario.source == Source::file && scenario.file.empty())
    at.fail("a file source without a file", "\"file\": PATH");
  try {
    check_settings(scenario);
  } catch (const SettingError& error) {
    throw FileError(at.file, field_path(at, error.subject()) + ": " + error.sentence());
  }
  return scenario;
}

Json parsed(const std::string& text, const std::string& subject) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string message = error.what();
    const std::size_t place = message.find("at line");
    const std::string where = place == std::string::npos ? message : message.substr(place);
    throw FileError(subject, "is not JSON: " + where.substr(0, 160), "expected a scenario as JSON");
  }
}

std::string read_text(const std::string& path) {
  std::error_code error;
  const std::filesystem::path where = path_from(path);
  if (!std::filesystem::exists(where, error)) throw FileError(path, "no such file");
  if (!std::filesystem::is_regular_file(where, error)) throw FileError(path, "not a regular file");
  if (std::filesystem::file_size(where, error) > (std::uintmax_t{64} << 20)) {
    throw FileError(path, "is too large for a scenario", "expected less than 64 MB");
  }
  std::ifstream stream(where, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.good() && !stream.eof()) throw FileError(path, "cannot be read");
  return text;
}

std::string utf8(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return std::string(text.begin(), text.end());
}

/// Each path that a scenario holds.
template <typename Visit>
void for_each_file(Scenario& scenario, Visit visit) {
  for (std::string* file : {&scenario.file, &scenario.mask_file}) {
    if (!file->empty()) visit(*file);
  }
}

void resolve_files(Scenario& scenario, const std::string& scenario_path) {
  for_each_file(scenario, [&](std::string& path) {
    const std::filesystem::path file = path_from(path);
    if (!file.is_absolute()) path = utf8((path_from(scenario_path).parent_path() / file).lexically_normal());
  });
}

/// A word or, by language, several: "x" or {"en": "x", "zh": "…"}.
std::map<std::string, std::string> words_at(const Place& at) {
  std::map<std::string, std::string> words;
  if (at.value.is_string()) return {{"en", at.value.get<std::string>()}};
  if (!at.value.is_object() || !at.has("en")) at.fail_type("a string, or strings by language with \"en\" among them");
  for (const auto& [language, unused] : at.value.items()) read(at.at(language), words[language]);
  return words;
}

Lesson read_lesson(const std::filesystem::path& path) {
  const std::string file = utf8(path);
  const Json json = parsed(read_text(file), file);
  const Place root{json, "$", file};
  allow_only(root, {"id", "title", "description", "scenario"});
  for (const char* field : {"id", "title", "description", "scenario"}) {
    if (!root.has(field)) root.fail(std::string("has no ") + field, "id, title, description and scenario");
  }
  Lesson lesson;
  read(root.at("id"), lesson.id);
  lesson.title = words_at(root.at("title"));
  lesson.description = words_at(root.at("description"));
  lesson.scenario = scenario_at(root.at("scenario"));
  resolve_files(lesson.scenario, file);
  return lesson;
}

}  // namespace

Scenario parse_scenario(const std::string& json, const std::string& subject) {
  const Json root = parsed(json, subject);
  return scenario_at({root, "$", subject});
}

Scenario read_scenario(const std::string& path) {
  Scenario scenario = parse_scenario(read_text(path), path);
  resolve_files(scenario, path);
  return scenario;
}

std::string to_json(const Scenario& scenario) {
  const Scenario defaults;
  OrderedJson json = OrderedJson::object();
  json["version"] = format_version;
  json["source"] = written(scenario.source);
  for_each_field([&](const char* field, auto member) {
    const bool needed = !(scenario.*member == defaults.*member);
    if (needed) json[field] = written(scenario.*member);
  });
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

void write_scenario(const std::string& path, const Scenario& scenario) {
  Scenario portable = scenario;
  const std::filesystem::path folder = std::filesystem::absolute(path_from(path)).parent_path();
  for_each_file(portable, [&](std::string& file) {
    file = utf8(std::filesystem::absolute(path_from(file)).lexically_proximate(folder));
  });
  const std::string json = to_json(portable);
  write_whole_file(path_from(path), std::as_bytes(std::span(json)));
}

std::vector<Lesson> shipped_lessons() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(asset("lessons"))) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // their names begin with their place in the order
  std::vector<Lesson> lessons;
  for (const std::filesystem::path& file : files) lessons.push_back(read_lesson(file));
  return lessons;
}

Lesson shipped_lesson(const std::string& id) {
  std::string ids;
  for (Lesson& lesson : shipped_lessons()) {
    if (lesson.id == id) return std::move(lesson);
    ids += (ids.empty() ? "" : ", ") + lesson.id;
  }
  throw SettingError("lesson:" + id, "no such lesson", "expected one of " + ids);
}

Lesson open_source(const std::string& file) {
  constexpr std::string_view prefix = "lesson:";
  if (file.empty()) return shipped_lesson(default_lesson);
  if (file.starts_with(prefix)) return shipped_lesson(file.substr(prefix.size()));
  Lesson opened;
  std::string extension = file.substr(std::min(file.find_last_of('.'), file.size()));
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".json") {
    opened.scenario = read_scenario(file);
    opened.file = file;
  } else {
    opened.scenario.source = Source::file;
    opened.scenario.file = file;
  }
  return opened;
}

}  // namespace headlight
