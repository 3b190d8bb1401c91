#include "core/scenario/documents/scenario_json.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include <nlohmann/json.hpp>

#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/utf8_path.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "core/scenario/settings/json_place.h"
#include "core/scenario/settings/setting_text.h"
#include "core/scenario/settings/settings_rows.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

template <typename Choice>
requires std::is_enum_v<Choice>
void read(const Place& at, Choice& out) {
  const auto choice = at.value.is_string() ? choice_named<Choice>(at.value.get<std::string>()) : std::nullopt;
  if (!choice) at.fail_type(all_words<Choice>());
  out = *choice;
}

void read(const Place& at, CellEdit& out);
void read(const Place& at, PaintedCells& out);
void read(const Place& at, GivenMatrix& out);
void read(const Place& at, std::vector<Index>& out);
void read(const Place& at, TokenNames& out);
void read(const Place& at, HeadAddress& out);
template <typename T>
void read(const Place& at, std::vector<T>& out);

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
    if (row.value.size() != cols)
      row.fail(Message("has {0} numbers", row.value.size()), Message("{0}, as in the first row", cols));
    for (std::size_t j = 0; j < cols; ++j) read(row.at(j), values.emplace_back());
  }
  out.numbers = Tensor({static_cast<Index>(at.value.size()), static_cast<Index>(cols)}, std::move(values));
}

/// The lengths of one batch entry: one number, or a number for each query.
void read(const Place& at, std::vector<Index>& out) {
  if (!at.value.is_array()) return read(at, out.emplace_back());
  for (std::size_t i = 0; i < at.value.size(); ++i) read(at.at(i), out.emplace_back());
}

void read(const Place& at, HeadAddress& out) {
  constexpr const char* expected = "a layer and a head, \"3.1\"";
  if (!at.value.is_string()) at.fail_type(expected);
  try {
    const std::vector<HeadAddress> heads = parse_heads("", at.value.get<std::string>());
    if (heads.size() != 1) at.fail_type(expected);
    out = heads.front();
  } catch (const SettingError&) { at.fail_type(expected); }
}

template <typename T>
void read(const Place& at, std::vector<T>& out) {
  if (!at.value.is_array()) at.fail_type("an array");
  out.clear();
  for (std::size_t i = 0; i < at.value.size(); ++i) read(at.at(i), out.emplace_back());
}

/// Names for all batch entries, or a list of names for each one.
void read(const Place& at, TokenNames& out) {
  if (!at.value.is_array()) at.fail_type("a list of names");
  out.clear();
  const bool nested = !at.value.empty() && at.value.at(0).is_array();
  if (!nested && !at.value.empty()) return read(at, out.emplace_back());
  for (std::size_t i = 0; i < at.value.size(); ++i) read(at.at(i), out.emplace_back());
}

/// The path of the field for a setting such as "--kv-heads" in a SettingError.
std::string field_path(const Place& at, std::string setting) {
  if (setting.starts_with("--")) setting = setting.substr(2);
  std::replace(setting.begin(), setting.end(), '-', '_');
  return at.path + (setting.empty() ? "" : "." + setting);
}

/// The "view" of the scenario; unset if it has none.
std::optional<ViewFields> view_of_scenario_at(const Place& whole) {
  if (!whole.has("view")) return {};
  const Place at = whole.at("view");
  require_object(at);
  allow_only(at, {"level", "select", "step", "head", "query", "key", "measure", "map"});
  ViewFields view;
  const auto add = [&](const char* key, auto fields_of) {
    if (!at.has(key)) return;
    std::string text;
    read(at.at(key), text);
    try {
      view += (view.empty() ? "" : ";") + fields_of(key, text);
    } catch (const SettingError& error) {
      throw FileError(at.file, Message("{0}: {1}", at.at(key).path, error.sentence()));
    }
  };
  add("level", parse_level);
  add("select", [](const char* key, const std::string& text) { return "select=" + cell_text(parse_cell(key, text)); });
  for (const char* key : {"step", "head", "query", "key"}) {
    if (!at.has(key)) continue;
    Index number = 0;
    read(at.at(key), number);
    add_field(view, key, std::to_string(std::clamp<Index>(number, 0, 1'000'000)));
  }
  add("measure", parse_measure);
  add("map", parse_map);
  return view;
}

}  // namespace

Scenario scenario_at(const Place& at) {
  require_object(at);
  std::set<std::string> known{"$schema", "version", "view"};
  for_each_setting([&](const auto& row) { known.emplace(row.key); });
  allow_only(at, known);
  if (at.has("version") && at.at("version").value != scenario_format_version) {
    at.at("version").fail_type(Message("version {0}, the only one there is", scenario_format_version));
  }
  view_of_scenario_at(at);
  Scenario scenario;
  for_each_setting([&](const auto& row) { read_if_there(at, std::string(row.key).c_str(), scenario.*row.member); });
  if (!at.has("source") && at.has("file")) scenario.source = Source::file;
  if (scenario.source == Source::file && scenario.file.empty())
    at.fail("a file source without a file", "\"file\": PATH");
  try {
    check_settings(scenario);
  } catch (const SettingError& error) {
    throw FileError(at.file, Message("{0}: {1}", field_path(at, error.subject()), error.sentence()));
  }
  return scenario;
}

void read_setting(std::string_view key, const std::string& json, const std::string& subject, Scenario& scenario) {
  try {
    const Json value = parse_json(json, subject);
    const std::string file = subject;
    for_each_setting([&](const auto& row) {
      if (row.key == key) read(Place{value, "$", file}, scenario.*row.member);
    });
  } catch (const FileError& error) { throw SettingError(error.subject(), error.sentence()); }
}

void resolve_files(Scenario& scenario, const std::string& scenario_path) {
  for_each_file(scenario, [&](std::string& path) {
    const std::filesystem::path file = path_from(path);
    if (!file.is_absolute())
      path = portable_utf8_from((path_from(scenario_path).parent_path() / file).lexically_normal());
  });
}

Scenario parse_scenario(const std::string& json, const std::string& subject) {
  const Json root = parse_json(json, subject);
  return scenario_at({root, "$", subject});
}

Scenario read_scenario(const std::string& path, std::optional<ViewFields>* view) {
  const Json root = read_json(path);
  const Place at{root, "$", path};
  Scenario scenario = scenario_at(at);
  if (view) *view = view_of_scenario_at(at);
  resolve_files(scenario, path);
  return scenario;
}

namespace {

using OrderedJson = nlohmann::ordered_json;

template <typename T>
requires(!std::is_enum_v<T>) OrderedJson written(const T& value) { return value; }

/// 0.1f as 0.1, not as 0.10000000149011612, if 0.1 is read as the same float.
OrderedJson written(float value) {
  if (!std::isfinite(value)) return shortest(value);
  const double short_value = std::stod(shortest(value));
  return static_cast<float>(short_value) == value ? short_value : static_cast<double>(value);
}

template <typename Choice>
requires std::is_enum_v<Choice> OrderedJson written(Choice choice) { return std::string(word(choice)); }

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

OrderedJson written(const HeadAddress& head) { return to_text(head); }

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

OrderedJson written(const TokenNames& names) {
  if (names.size() == 1 && !names.front().empty()) return names.front();
  return OrderedJson(names);
}

}  // namespace

std::string setting_json(std::string_view key, const Scenario& scenario) {
  OrderedJson json;
  for_each_setting([&](const auto& row) {
    if (row.key == key) json = written(scenario.*row.member);
  });
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

namespace {

OrderedJson view_json(const ViewFields& view) {
  OrderedJson json = OrderedJson::object();
  const auto add = [&](const char* key, const auto& value_of) {
    if (const auto text = field_of(view, key)) json[key] = value_of(*text);
  };
  const auto as_text = [](std::string_view text) { return std::string(text); };
  add("level", [&](std::string_view) { return level_text(view); });
  add("select", as_text);
  for (const char* key : {"step", "head", "query", "key"})
    add(key, [&](std::string_view text) { return parse_whole(key, text, 0, 1'000'000'000); });
  add("measure", as_text);
  add("map", [&](std::string_view) { return map_text(view); });
  return json;
}

OrderedJson whole_json(const Scenario& scenario) {
  const Scenario defaults;
  OrderedJson json = OrderedJson::object();
  json["version"] = scenario_format_version;
  json["source"] = written(scenario.source);
  for_each_setting([&](const auto& row) {
    const bool needed = !(scenario.*row.member == defaults.*row.member);
    if (needed) json[std::string(row.key)] = written(scenario.*row.member);
  });
  return json;
}

std::string laid_out(const OrderedJson& json) {
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const Scenario& scenario) { return laid_out(whole_json(scenario)); }

void write_scenario(const std::string& path, const Scenario& scenario, const ViewFields* view) {
  Scenario portable = scenario;
  const std::filesystem::path folder = std::filesystem::absolute(path_from(path)).parent_path();
  for_each_file(portable, [&](std::string& file) {
    file = portable_utf8_from(std::filesystem::absolute(path_from(file)).lexically_proximate(folder));
  });
  OrderedJson whole = whole_json(portable);
  if (view) whole["view"] = view_json(*view);
  write_whole_file(path_from(path), laid_out(whole));
}

namespace {

using OrderedJson = nlohmann::ordered_json;

std::string words(const OrderedJson& object, const std::string& field) {
  if (!object.contains(field)) return "";
  const OrderedJson& value = object[field];
  if (value.is_string()) return value.get<std::string>();
  return value.is_structured() ? std::to_string(value.size()) : value.dump();
}

}  // namespace

std::vector<ScenarioChange> scenario_changes(const Scenario& from, const Scenario& to) {
  const OrderedJson before = OrderedJson::parse(to_json(from));
  const OrderedJson after = OrderedJson::parse(to_json(to));
  OrderedJson fields = before;
  fields.update(after);
  std::vector<ScenarioChange> changes;
  for (const auto& [field, value] : fields.items()) {
    const bool same = before.contains(field) && after.contains(field) && before[field] == after[field];
    if (!same) changes.push_back({field, words(before, field), words(after, field)});
  }
  return changes;
}

}  // namespace headlight
