#include "core/scenario/scenario_changes.h"

#include <nlohmann/json.hpp>

#include "core/scenario/scenario_json.h"

namespace headlight {
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
