#include "core/scenario/documents/scenario_json.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/base/tensor/error.h"
#include "core/compute/run/pipeline.h"
#include "core/scenario/documents/lesson.h"
#include "core/scenario/documents/open_source.h"
#include "core/scenario/settings/settings_table.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;
using Json = nlohmann::json;

namespace {

std::string error_of(const std::string& json) {
  return samples::sentence_of([&] { parse_scenario(json, "a.json"); });
}

/// A scenario with no field at its default: each has its example or a value that is harder to write.
Scenario unlike_default() {
  Json file;
  for (const Setting& setting : all_settings()) file[setting.key] = Json::parse(setting.example);
  Scenario s = parse_scenario(file.dump(), "a.json");
  s.text = "一 \"b\"\nc";
  s.x = GivenMatrix{Tensor::of({1, 3}, {0.1F, -0.0F, std::numeric_limits<float>::quiet_NaN()})};
  s.attn_bias = GivenMatrix{Tensor::of({2, 1}, {-std::numeric_limits<float>::infinity(), 2})};
  s.seed = std::numeric_limits<std::uint64_t>::max();
  s.weight_gain = 0.1F;
  s.scale = 1.0F / 3;
  s.valid_lens = {{3, 1, 2}, {1, 1, 1}};
  s.painted = {{-1, 2, 0, 1, true}, {0, -1, 3, 4, false, 5, 6}};
  s.fill = -std::numeric_limits<float>::infinity();
  s.tokens = {{"a", "b c"}, {"d", ""}};
  s.knock_out = {{"0", 1}, {"decoder.12", 3}, {"1", -1}};
  s.edits = {{Stage::W_q, 0, 1, 2, std::numeric_limits<float>::denorm_min()}};
  return s;
}

Json schema() {
  std::ifstream stream(places::assets() + "/scenario.schema.json");
  return Json::parse(stream);
}

}  // namespace

TEST_CASE("a scenario written and read again is the same scenario") {
  CHECK(parse_scenario(to_json(Scenario{}), "a") == Scenario{});
  CHECK(parse_scenario(to_json(unlike_default()), "a") == unlike_default());
}

TEST_CASE("floats are written in few digits and come back to the bit") {
  for (const float value : {0.1F, 1.0F / 3, 1e-45F, 3.4028235e38F, 16777217.0F, -0.0F}) {
    Scenario s;
    s.scale = value;
    const float back = *parse_scenario(to_json(s), "a").scale;
    CHECK(std::bit_cast<std::uint32_t>(back) == std::bit_cast<std::uint32_t>(value));
  }
  Scenario s;
  s.scale = 0.1F;
  CHECK(samples::has(to_json(s), "\"scale\": 0.1\n"));
}

TEST_CASE("the published schema has the reader's fields, and its examples are read") {
  const Json properties = schema().at("properties");
  const Json written = Json::parse(to_json(unlike_default()));
  for (const auto& [field, unused] : written.items()) {
    INFO("assets/scenario.schema.json lacks \"" << field << "\"; schema_test.cpp says how it is written again");
    CHECK(properties.contains(field));
  }
  CHECK(properties.size() == written.size() + 2);  // the schema also has $schema and the view, which is no setting
  for (const auto& [field, property] : properties.items()) {
    CAPTURE(field);
    if (field == "$schema" || field == "version" || field == "view") continue;
    Json example{{"source", "text"}};
    example[field] = property.at("examples").at(0);
    CHECK(error_of(example.dump()) == "no error");
    example[field] = Json{{"of", "no such type"}};
    CHECK(samples::has(error_of(example.dump()), "a.json: $." + field + ": "));
    if (!property.contains("enum")) continue;  // fields with an enum must have one type
    for (const Json& word : property.at("enum")) {
      example[field] = word;
      if (word == "file") example["file"] = "a.npz";
      CHECK(error_of(example.dump()) == "no error");
    }
  }
}

TEST_CASE("wrong and unknown fields are named by their path") {
  CHECK(samples::has(error_of(R"({"head": 4})"), "a.json: $.head: no such field; expected one of "));
  CHECK(error_of(R"({"heads": "4"})") ==
        "a.json: $.heads: \"4\" is not a whole number, 0 or more; expected a whole number, 0 or more");
  CHECK(samples::has(error_of(R"({"heads": 2.5})"), "$.heads: 2.5 is not"));
  CHECK(samples::has(error_of(R"({"heads": 0})"), "$.heads: 0 is out of range"));
  CHECK(samples::has(error_of(R"({"kv_heads": -1})"), "$.kv_heads: -1 is not"));
  CHECK(samples::has(error_of(R"({"rope": "quarter"})"), "$.rope: \"quarter\" is not none, half or interleaved"));
  CHECK(samples::has(error_of(R"({"dropout": 2})"), "$.dropout: 2 is out of range"));
  CHECK(samples::has(error_of(R"({"edits": [{"stage": "W_q", "value": 1}, {"stage": "Z", "value": 1}]})"),
                     "$.edits[1].stage: \"Z\" is not"));
  CHECK(samples::has(error_of(R"({"edits": [{"stage": "weights", "value": 1}]})"), "weights is computed"));
  CHECK(samples::has(error_of(R"({"valid_lens": [[1, "x"]]})"), "$.valid_lens[0][1]: \"x\" is not"));
  CHECK(samples::has(error_of(R"({"x": [[1, 2], [3]]})"), "$.x[1]: has 1 numbers; expected 2, as in the first row"));
  CHECK(samples::has(error_of(R"({"x": [[1, "y"]]})"), "$.x[0][1]: \"y\" is not a number"));
  CHECK(samples::has(error_of(R"({"scale": 1e300})"), "$.scale: 1e+300 is not"));
  CHECK(samples::has(error_of("[1]"), "a.json: $: [1] is not an object"));
  CHECK(samples::has(error_of("{\"heads\": 4,\n oops}"), "a.json: is not JSON: at line 2"));
  CHECK(samples::has(error_of(R"({"version": 2})"), "$.version: 2 is not version 1"));
}

TEST_CASE("the view of a scenario is saved in its file and read again, and a wrong view is named") {
  const samples::TempFolder folder;
  const std::string path = (folder / "a.json").string();
  Scenario scenario;
  scenario.seed = 3;
  const ViewFields view =
      "level=operation;facet=step;stage=scores;select=weights:0,1,2,3;step=12;head=1;key=4;measure=share";
  write_scenario(path, scenario, &view);
  std::optional<ViewFields> back;
  CHECK(read_scenario(path, &back) == scenario);
  REQUIRE(back);
  CHECK(*back == view);
  CHECK(open_source(path).view == view);
  write_scenario(path, scenario);
  CHECK(read_scenario(path, &back) == scenario);
  CHECK_FALSE(back);
  CHECK(samples::has(error_of(R"({"view": {"level": "near"}})"), "$.view.level: \"near\" is not a level"));
  CHECK(samples::has(error_of(R"({"view": {"level": "operation:W_q"}})"), "$.view.level: \"W_q\" is not a stage"));
  CHECK(samples::has(error_of(R"({"view": {"select": "weights:1"}})"), "$.view.select"));
  CHECK(samples::has(error_of(R"({"view": {"measure": "much"}})"), "$.view.measure: \"much\" is no measure"));
  CHECK(samples::has(error_of(R"({"view": {"zoom": 2}})"), "zoom"));
}

TEST_CASE("a file named in a scenario is looked for in the folder of the scenario") {
  const samples::TempFolder folder;
  samples::write_text(folder / "a.json", R"({"file": "sub/net.npz"})");
  const Scenario scenario = read_scenario((folder / "a.json").string());
  CHECK(scenario.source == Source::file);
  CHECK(scenario.file == (folder / "sub/net.npz").generic_string());
  write_scenario((folder / "b.json").string(), scenario);
  CHECK(samples::has(samples::read_bytes(folder / "b.json"), "\"file\": \"sub/net.npz\""));
  CHECK(read_scenario((folder / "b.json").string()) == scenario);
}

TEST_CASE("every lesson is read and computed, and gives the same bits after it was written and read") {
  const std::vector<Lesson> lessons = shipped_lessons();
  REQUIRE(lessons.size() >= 9);
  CHECK(lessons.front().id == default_lesson);
  for (const Lesson& lesson : lessons) {
    CAPTURE(lesson.id);
    CHECK(shipped_lesson(lesson.id).scenario == lesson.scenario);
    CHECK(lesson.title.contains("zh"));
    CHECK(lesson.description.contains("zh"));
    const auto trace = compute(lesson.scenario);
    const auto again = compute(parse_scenario(to_json(lesson.scenario), "a"));
    const Tensor a = (*trace)[Stage::output].contiguous();
    const Tensor b = (*again)[Stage::output].contiguous();
    CHECK(std::memcmp(a.values().data(), b.values().data(), a.values().size_bytes()) == 0);
  }
}

TEST_CASE("the dead entry of the first source is NaN, that of the second uniform, V3's mask does nothing") {
  const auto first = compute(shipped_lesson("masked-self-attention").scenario);
  CHECK(std::isnan((*first)[Stage::weights].at({1, 3, 0, 0})));
  CHECK((*first)[Stage::weights].at({0, 3, 0, 1}) == 1);
  CHECK((*first)[Stage::weights].at({2, 3, 0, 0}) == 1);
  const auto second = compute(shipped_lesson("query-key-value").scenario);
  CHECK(agrees((*second)[Stage::weights].at({1, 0, 0, 4}), 0.2F));
  const auto third = compute(shipped_lesson("single-head-v3").scenario);
  CHECK((*third)[Stage::weights].at({2, 0, 0, 3}) > 0);
  const auto fourth = compute(shipped_lesson("single-head-v4").scenario);
  CHECK(fourth->has(Stage::dropped_weights));
}
