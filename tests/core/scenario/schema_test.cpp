// The published schema of scenario files is made from the rows of settings. After a change of a row, this command
// writes it again:
//   HEADLIGHT_WRITE_SCHEMA=1 headlight_core_tests "the published schema is the table of settings"
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/rules/stage/stage.h"
#include "core/scenario/settings/json_place.h"
#include "core/scenario/settings/setting_text.h"
#include "core/scenario/settings/settings_rows.h"
#include "tests/catch.h"
#include "tests/places.h"

namespace headlight {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson whole_number(Index least) { return {{"type", "integer"}, {"minimum", least}}; }
OrderedJson list_of(OrderedJson items) { return {{"type", "array"}, {"items", std::move(items)}}; }
OrderedJson either(std::initializer_list<OrderedJson> kinds) { return {{"anyOf", OrderedJson(kinds)}}; }

OrderedJson any_number() { return either({{{"type", "number"}}, {{"enum", {"inf", "-inf", "nan"}}}}); }

OrderedJson object_of(OrderedJson properties, OrderedJson required) {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", std::move(required)},
          {"properties", std::move(properties)}};
}

void put_range(const SettingRange& range, OrderedJson& to) {
  const bool whole = to["type"] == "integer";
  const auto put = [&](const char* word, double bound) {
    to[word] = whole ? OrderedJson(static_cast<Index>(bound)) : OrderedJson(bound);
  };
  if (range.least > -std::numeric_limits<double>::max()) put(range.above ? "exclusiveMinimum" : "minimum", range.least);
  if (range.most < std::numeric_limits<double>::max()) put("maximum", range.most);
}

OrderedJson type_of(const bool*, const SettingRange&) { return {{"type", "boolean"}}; }
OrderedJson type_of(const std::string*, const SettingRange&) { return {{"type", "string"}}; }
OrderedJson type_of(const std::uint64_t*, const SettingRange&) { return whole_number(0); }
OrderedJson type_of(const Index*, const SettingRange& range) {
  OrderedJson json{{"type", "integer"}};
  put_range(range, json);
  return json;
}
OrderedJson type_of(const float*, const SettingRange& range) {
  OrderedJson json{{"type", "number"}};
  put_range(range, json);
  return range.minus_infinity ? either({json, {{"const", "-inf"}}}) : json;
}
template <typename Choice>
requires std::is_enum_v<Choice> OrderedJson type_of(const Choice*, const SettingRange&) {
  return {{"enum", choice_words<Choice>}};
}
OrderedJson type_of(const GivenMatrix*, const SettingRange&) {
  OrderedJson row = list_of(any_number());
  row["minItems"] = 1;
  OrderedJson rows = list_of(row);
  rows["minItems"] = 1;
  return rows;
}
OrderedJson type_of(const std::vector<std::vector<Index>>*, const SettingRange&) {
  return list_of(either({whole_number(0), list_of(whole_number(0))}));
}
OrderedJson type_of(const TokenNames*, const SettingRange&) {
  const OrderedJson names = list_of({{"type", "string"}});
  return either({names, list_of(names)});
}
OrderedJson type_of(const std::vector<HeadAddress>*, const SettingRange&) {
  return list_of({{"type", "string"}, {"pattern", "^([a-z]+\\.)?[0-9]+(\\.[0-9]+)?$"}});
}
OrderedJson type_of(const std::vector<PaintedCells>*, const SettingRange&) {
  const OrderedJson at = whole_number(0), count = whole_number(1);
  return list_of(object_of({{"batch", at},
                            {"head", at},
                            {"query", at},
                            {"key", at},
                            {"queries", count},
                            {"keys", count},
                            {"attend", {{"type", "boolean"}}}},
                           {"query", "key", "attend"}));
}
OrderedJson type_of(const std::vector<CellEdit>*, const SettingRange&) {
  OrderedJson stages = OrderedJson::array();
  for (const Stage stage : all_matrices()) {
    if (is_input(stage) || is_parameter(stage)) stages.push_back(std::string(name(stage)));
  }
  const OrderedJson at = whole_number(0);
  return list_of(
      object_of({{"stage", {{"enum", stages}}}, {"batch", at}, {"row", at}, {"col", at}, {"value", any_number()}},
                {"stage", "value"}));
}
template <typename T>
OrderedJson type_of(const std::optional<T>*, const SettingRange& range) {
  return either({type_of(static_cast<const T*>(nullptr), range), {{"type", "null"}}});
}

template <typename T>
constexpr bool is_unset_by_default(const T&) {
  return requires(T value) { value.has_value(); };
}

/// JSON Schema of scenario files.
std::string schema_of_settings() {
  OrderedJson properties;
  properties["$schema"] = {{"description", "This schema, for editors; not read."}, {"type", "string"}};
  properties["version"] = {{"description", "Of the format."}, {"const", scenario_format_version}};
  const Scenario defaults;
  for_each_setting([&](const auto& row) {
    using T = std::remove_cvref_t<decltype(defaults.*row.member)>;
    OrderedJson property{{"description", (row.negated ? "false: " : "") + std::string(row.help)}};
    property.update(type_of(static_cast<const T*>(nullptr), row.range));
    const std::string key(row.key);
    const OrderedJson initial = OrderedJson::parse(setting_json(row.key, defaults));
    if (!is_unset_by_default(defaults.*row.member)) property["default"] = initial;
    property["examples"] = OrderedJson::array({OrderedJson::parse(row.example)});
    properties[key] = property;
  });
  const auto index = [](const char* what) {
    return OrderedJson{{"description", what}, {"type", "integer"}, {"minimum", 0}};
  };
  properties["view"] = {
      {"description", "How it is looked at; decides no number."},
      {"type", "object"},
      {"additionalProperties", false},
      {"properties",
       {{"level",
         {{"description",
           "How near: sentence, pipeline, operation:STAGE, operation:journey, operation:geometry, operation:next."},
          {"type", "string"},
          {"examples", {"operation:scores"}}}},
        {"select",
         {{"description", "The cell that is looked at: STAGE:b,h,row,col."},
          {"type", "string"},
          {"examples", {"weights:0,1,5,1"}}}},
        {"step", index("The moment of the step player.")},
        {"head", index("The head that is looked at.")},
        {"query", index("The word that asks.")},
        {"key", index("The word that is asked.")},
        {"measure",
         {{"description", "What of a head is shown: its weights, how much each brings, its share of that."},
          {"enum", {"weight", "arrives", "share"}}}},
        {"map",
         {{"description", "The matrix on the map and what of it is in sight: STAGE or STAGE:Q0:Q1,K0:K1."},
          {"type", "string"},
          {"examples", {"weights:4096:8192,0:4096"}}}}}}};
  const OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                           {"title", "Headlight scenario"},
                           {"description",
                            "Everything that determines the numbers of one multi-head attention. A number that is "
                            "null, or left out, is as the source says."},
                           {"type", "object"},
                           {"additionalProperties", false},
                           {"properties", properties}};
  return schema.dump(2) + "\n";
}

}  // namespace

TEST_CASE("the published schema is the table of settings") {
  const std::string path = places::assets() + "/scenario.schema.json";
  if (std::getenv("HEADLIGHT_WRITE_SCHEMA")) std::ofstream(path, std::ios::binary) << schema_of_settings();
  std::ifstream stream(path, std::ios::binary);
  const std::string published{std::istreambuf_iterator<char>(stream), {}};
  const std::string made = schema_of_settings();
  const auto [there, here] = std::ranges::mismatch(published, made);
  const auto line = static_cast<std::size_t>(std::count(published.begin(), there, '\n'));
  INFO("assets/scenario.schema.json:" << line + 1 << " is not as the rows say; write it again with\n"
                                      << "HEADLIGHT_WRITE_SCHEMA=1 headlight_core_tests \"the published schema is "
                                         "the table of settings\"");
  CHECK((there == published.end() && here == made.end()));
}

}  // namespace headlight
