#include <cmath>
#include <filesystem>
#include <span>

#include <nlohmann/json.hpp>

#include "core/files/whole_file.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/scenario_read.h"
#include "core/scenario/setting_text.h"
#include "core/scenario/settings_rows.h"
#include "core/text/number_text.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <typename T>
requires(!std::is_enum_v<T>) OrderedJson written(const T& value) { return value; }

/// 0.1f as 0.1, not as 0.10000000149011612, where that reads back as the same float.
OrderedJson written(float value) {
  if (!std::isfinite(value)) return shortest(value);
  const double brief = std::stod(shortest(value));
  return static_cast<float>(brief) == value ? brief : static_cast<double>(value);
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

OrderedJson view_json(const ScenarioView& view) {
  OrderedJson json = OrderedJson::object();
  if (view.level) json["level"] = level_text(*view.level);
  if (view.select) json["select"] = cell_text(*view.select);
  if (view.step) json["step"] = *view.step;
  if (view.head) json["head"] = *view.head;
  if (view.query) json["query"] = *view.query;
  if (view.key) json["key"] = *view.key;
  if (view.measure) json["measure"] = name(*view.measure);
  if (view.map) json["map"] = map_text(*view.map);
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

void write_scenario(const std::string& path, const Scenario& scenario, const ScenarioView* view) {
  Scenario portable = scenario;
  const std::filesystem::path folder = std::filesystem::absolute(path_from(path)).parent_path();
  for_each_file(portable, [&](std::string& file) {
    file = portable_utf8_from(std::filesystem::absolute(path_from(file)).lexically_proximate(folder));
  });
  OrderedJson whole = whole_json(portable);
  if (view) whole["view"] = view_json(*view);
  const std::string json = laid_out(whole);
  write_whole_file(path_from(path), std::as_bytes(std::span(json)));
}

namespace {

using OrderedJson = nlohmann::ordered_json;

std::string words(const OrderedJson& object, const std::string& field) {
  if (!object.contains(field)) return "";
  const OrderedJson& value = object[field];
  if (value.is_string()) return value.get<std::string>();
  return value.is_array() ? std::to_string(value.size()) : value.dump();
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
