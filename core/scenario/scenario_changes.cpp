#include "core/scenario/scenario_changes.h"

#include <nlohmann/json.hpp>

#include "core/scenario/scenario_json.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

std::string words(const Json& object, const std::string& field) {
  if (!object.contains(field)) return "";
  const Json& value = object[field];
  if (value.is_string()) return value.get<std::string>();
  return value.is_array() ? std::to_string(value.size()) : value.dump();
}

}  // namespace

std::vector<ScenarioChange> scenario_changes(const Scenario& from, const Scenario& to) {
  const Json before = Json::parse(to_json(from));
  const Json after = Json::parse(to_json(to));
  Json fields = before;
  fields.update(after);
  std::vector<ScenarioChange> changes;
  for (const auto& [field, value] : fields.items()) {
    const bool same = before.contains(field) && after.contains(field) && before[field] == after[field];
    if (!same) changes.push_back({field, words(before, field), words(after, field)});
  }
  return changes;
}

}  // namespace headlight
