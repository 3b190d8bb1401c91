// Lessons in steps: the claims of shipped lessons hold for their numbers, and every mistake in a lesson is named.
#include "core/teaching/lesson/course.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>

#include <nlohmann/json.hpp>

#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/compute/network/gradients.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/contributions.h"
#include "core/scenario/documents/lesson.h"
#include "core/scenario/documents/open_source.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"

using namespace headlight;
using samples::has;

namespace {

using Json = nlohmann::json;

const Json good = Json::parse(R"json({
  "id": "mine", "title": {"en": "Mine", "zh": "我的"}, "description": {"en": "A lesson", "zh": "一课"},
  "scenario": {"source": "random", "queries": 3, "d_model": 4, "heads": 2, "mask": "causal()"},
  "steps": [
    {"text": {"en": "The first word gives itself [all](stage:weights), {w}.", "zh": "第一个词把全部 {w} 给自己。"},
     "pose": {"stage": "weights", "select": "weights:0,0,0,0"},
     "claims": {"w": {"of": "weights:0,0,0,0", "is": "1.00"}}},
    {"text": {"en": "Without a mask a row has three keys.", "zh": "没有掩码，一行有三个键。"},
     "pose": {"change": {"mask": "full()"}},
     "question": {"kind": "number", "ask": {"en": "How many?", "zh": "多少？"}, "why": {"en": "Three.", "zh": "三个。"}, "of": "mask:0,0,0,:", "take": "count"}}
  ]})json");

/// The mistakes that are found in the good lesson with other values at these places.
std::vector<std::string> mistakes(const std::vector<std::pair<std::string, Json>>& changes = {}) {
  Json json = good;
  for (const auto& [place, value] : changes) json[Json::json_pointer(place)] = value;
  const samples::TempFolder scratch;
  samples::write_text(scratch / "mine.json", json.dump());
  return mistakes_in_course((scratch / "mine.json").string());
}

bool says_so(const std::vector<std::string>& mistakes, std::string_view part) {
  return std::ranges::any_of(mistakes, [&](const std::string& mistake) { return has(mistake, part); });
}

}  // namespace

TEST_CASE("every shipped lesson can be read, its scenarios compute, and its claims hold") {
  std::set<std::string> ids;
  for (const Course& course : shipped_courses()) {
    INFO(course.card.id);
    CHECK(ids.insert(course.card.id).second);
    CHECK(mistakes_in_course(course.card.file) == std::vector<std::string>{});
    CHECK(course.languages() == std::vector<std::string>{"en", "zh"});
    CHECK(course.steps.size() >= 5);
    CHECK(course.steps.size() <= 12);
    CHECK(course.questions() >= 2);
    CHECK(shipped_lesson(course.card.id).scenario == course.card.scenario);
  }
  CHECK(ids.size() >= 16);
}

TEST_CASE("the schema of lessons names every view and every kind of question, and a lesson that ships asks each kind") {
  const std::filesystem::path file(places::assets() + "/lesson.schema.json");
  const auto fields_of = [](const std::string& schema) {
    return Json::parse(schema).at("$defs").at("step").at("properties");
  };
  std::string schema = places::text_of(file);
  const std::string pattern = fields_of(schema).at("pose").at("properties").at("view").at("pattern");
  if (std::getenv("HEADLIGHT_WRITE_SCHEMA"))
    samples::write_text(file, schema = replaced(schema, pattern, lesson_view_pattern()));
  const Json fields = fields_of(schema);
  CHECK(fields.at("pose").at("properties").at("view").at("pattern") == lesson_view_pattern());
  const std::regex views(lesson_view_pattern());
  const std::string guide = places::text_of(places::assets() + "/../docs/lessons.md");
  const std::size_t start = guide.find("| `view`, `level` |");
  REQUIRE(start != std::string::npos);
  const std::string of_views = guide.substr(start, guide.find('\n', start) - start);
  for (const ViewRow& row : view_rows) {
    CAPTURE(row.name);
    CHECK(std::regex_match(std::string(row.name), views) == row.in_lessons);
    CHECK((has(of_views, "`" + std::string(row.name)) || !row.in_lessons));
    CHECK(says_so(mistakes({{"/steps/1/pose/view", row.name}}), "one of pipeline, ") == !row.in_lessons);
  }
  std::set<std::string> kinds;
  std::set<QuestionKind> asked;
  std::string known;
  for (const Json& kind : fields.at("question").at("properties").at("kind").at("enum")) {
    kinds.insert(kind);
    known += (known.empty() ? "" : ", ") + kind.get<std::string>();
  }
  CHECK(says_so(mistakes({{"/steps/1/question/kind", "riddle"}}), "one of " + known));
  for (const Course& course : shipped_courses()) {
    for (const LessonStep& step : course.steps)
      if (step.question) asked.insert(step.question->kind);
  }
  CHECK(asked.size() == kinds.size());
}

TEST_CASE("a lesson can measure contribution norms, logits and their parts, and show a measure and the logit parts") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = "model:induction";
  const auto trace = compute_any(scenario, nullptr, Run{.summary = Summary::whole, .stop = {}, .progress = {}});
  const auto run = network_of(trace->inputs);
  const LikelyToken first = most_likely(*run, 0, -1, 2)[0], second = most_likely(*run, 0, -1, 2)[1];
  const auto number = [&](Taking take, const std::string& of, const std::string& minus = "") {
    return measured({take, of, minus, false}, *trace);
  };
  const double ahead = static_cast<double>(run->logits.at({0, place_of_prediction(*run, 0), first.id})) -
                       static_cast<double>(run->logits.at({0, place_of_prediction(*run, 0), second.id}));
  CHECK(number(Taking::logit, first.text, second.text) == Approx(ahead).margin(1e-5));
  for (const LogitPart& part : run->network->parts_of(*run, 0, first.id, second.id).parts) {
    if (!part.head) continue;
    const std::string head =
        run->network->layers()[static_cast<std::size_t>(*part.layer)].layer + "." + std::to_string(*part.head) + " ";
    CHECK(number(Taking::part, head + first.text, head + second.text) == Approx(part.value).margin(1e-5));
  }
  CHECK_THROWS_AS(number(Taking::part, "9.9 " + first.text), SettingError);
  CHECK(number(Taking::value, "contribution_norms:0,0,1,0") ==
        static_cast<double>(contribution_norms(*trace).at({0, 0, 1, 0})));
  CHECK(mistakes({{"/steps/0/pose/level", "operation:why"}, {"/steps/0/pose/measure", "share"}}).empty());
  CHECK(says_so(mistakes({{"/steps/0/pose/measure", "much"}}), "measure"));
}

TEST_CASE("a lesson's text has its numbers filled in and no markup left, in every language") {
  for (const Course& course : shipped_courses()) {
    for (const LessonStep& step : course.steps) {
      for (const char* language : {"en", "zh"}) {
        INFO(course.card.id << " " << step.path);
        const std::string prose = step.prose(language);
        CHECK(prose.find_first_of("{}") == std::string::npos);
        CHECK(prose.find("](") == std::string::npos);
        CHECK(prose.size() > 10);
      }
    }
  }
}

TEST_CASE("a step starts from the scenario of the step before and applies its changes") {
  const samples::TempFolder scratch;
  samples::write_text(scratch / "mine.json", good.dump());
  const Course course = read_course((scratch / "mine.json").string());
  REQUIRE(course.steps.size() == 2);
  CHECK(course.steps[0].prose("en") == "The first word gives itself all, 1.00.");
  CHECK(course.steps[1].pose.scenario.mask == "full()");
  CHECK(course.steps[1].pose.scenario.queries == course.steps[0].pose.scenario.queries);
  CHECK(course.steps[1].pose.stage == Stage::weights);
  CHECK_FALSE(course.steps[1].pose.select);
  CHECK(open_source((scratch / "mine.json").string()).title.at("zh") == "我的");
}

TEST_CASE("every mistake in a lesson file is named with its path") {
  CHECK(mistakes().empty());
  CHECK(says_so(mistakes({{"/steps/0/pose/stage", "weigths"}}), "$.steps[0].pose.stage"));
  CHECK(says_so(mistakes({{"/steps/0/pose/select", "weights:0,0,0,9"}}), "$.steps[0].pose.select"));
  CHECK(says_so(mistakes({{"/steps/0/pose/select", "wieghts:0,0,0,0"}}), "$.steps[0].pose.select"));
  CHECK(says_so(mistakes({{"/steps/0/claims/w/of", "wieghts:0,0,0,0"}}), "$.steps[0].claims.w.of"));
  CHECK(says_so(mistakes({{"/steps/0/pose/stage", "biased_scores"}}),
                "$.steps[0].pose.stage: this scenario has no biased_scores"));
  CHECK(says_so(mistakes({{"/steps/0/pose/view", "lesson"}}), "$.steps[0].pose.view"));
  CHECK(says_so(mistakes({{"/steps/0/pose/view", "mask:reaches"}}), "$.steps[0].pose.view"));
  CHECK(says_so(mistakes({{"/steps/0/pose/camera/zoom", 99}}), "$.steps[0].pose.camera.zoom"));
  CHECK(says_so(mistakes({{"/steps/0/pose/camera", {{"zoom", 2}, {"at", {0.5, 7}}}}}), "$.steps[0].pose.camera.at"));
  CHECK(says_so(mistakes({{"/steps/0/claims/w/is", "0.99"}}), R"($.steps[0].claims.w: "0.99" is said, but it is 1.0)"));
  CHECK(says_so(mistakes({{"/steps/0/claims/w/of", "weights:0,5,0,0"}}), "no such head"));
  CHECK(says_so(mistakes({{"/steps/0/text/zh", "第一个词 {x}"}}), "$.steps[0].text.zh"));
  CHECK(says_so(mistakes({{"/steps/1/text/en", "It is 0.25."}}), "is no claim"));
  CHECK(says_so(mistakes({{"/steps/1/pose/change/heads", 3}}), "$.steps[1].pose"));
  CHECK(says_so(mistakes({{"/steps/1/pose/change/head", 3}}), "$.steps[1].pose.change.head: no such field"));
  CHECK(says_so(mistakes({{"/steps/1/question/kind", "riddle"}}), "$.steps[1].question.kind"));
  CHECK(mistakes({{"/steps/0/pose/stage", "weigths"}, {"/steps/1/question/kind", "riddle"}}).size() == 2);
  CHECK(says_so(mistakes({{"/scenario/source", "file"}, {"/scenario/file", "nowhere.npz"}}), "does not compute"));
  const samples::TempFolder scratch;
  samples::write_text(scratch / "broken.json", "{\"id\": ");
  CHECK(mistakes_in_course((scratch / "broken.json").string()).size() == 1);
}

TEST_CASE("a lesson states how far a run comes, its ceiling and its gradients, and the check measures them",
          "[training]") {
  const char* const run = "train:reverse;d_model=16;mask=causal()@0";
  const auto of_run = [&](const Json& question) {
    return mistakes({{"/scenario", {{"source", "file"}, {"file", run}}},
                     {"/steps/0/pose", {{"view", "train"}, {"beside", "train:reverse;d_model=16@0"}}},
                     {"/steps/0/claims/w", {{"of", run}, {"take", "ceiling"}, {"is", "53 %"}}},
                     {"/steps/1/pose", {{"view", "pipeline"}, {"gradients", true}}},
                     {"/steps/1/question", question}});
  };
  Json question = good["steps"][1]["question"];
  question.update({{"of", run}, {"take", "accuracy"}, {"answer", 0.06}});
  CHECK(of_run(question) == std::vector<std::string>{});
  question["answer"] = 0.5;
  CHECK(says_so(of_run(question), "$.steps[1].question.answer: 0.5"));
  question.erase("answer");
  CHECK(says_so(of_run(question), "has no answer"));
  CHECK(says_so(mistakes({{"/steps/0/pose/beside", "train:nothing@3"}}), "$.steps[0].pose.beside"));
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = run;
  const auto trace = compute_any(scenario);
  const auto slopes = gradient_trace(trace, "");
  const Measure row{Taking::largest, "d_weights:0,1,3,:", "", false};
  const MatrixView d = (*slopes)[Stage::weights].matrix(0, 1);
  CHECK(measured(row, *trace) ==
        Approx(std::max({d(3, 0), d(3, 1), d(3, 2), d(3, 3), d(3, 4), d(3, 5), d(3, 6), d(3, 7)})));
  CHECK(measured(row, *slopes) == Approx(measured(row, *trace)));
  CHECK_FALSE(cell_place("d_weights:0,1,3,2"));  // the number of the gradient is in no cell of the trace
}

TEST_CASE("a text that a lesson has in one language only is named") {
  const auto lacking = [](const std::vector<std::string>& places) {
    Json json = good;
    for (const std::string& place : places) json[Json::json_pointer(place)].erase("zh");
    const samples::TempFolder scratch;
    samples::write_text(scratch / "mine.json", json.dump());
    return read_course((scratch / "mine.json").string()).untranslated();
  };
  CHECK(lacking({}).empty());
  CHECK(lacking({"/title", "/steps/0/text", "/steps/1/question/why"}) ==
        std::vector<std::string>{"zh: $.title", "zh: $.steps[0].text", "zh: $.steps[1].question.why"});
}

TEST_CASE("knocking out the head that a step gives as reason changes the answer as the step says") {
  const samples::TempFolder scratch;
  const auto checked = [&](const char* text, const Json& effect) {
    Json lesson = Json::parse(R"json({"id": "mine", "title": "Mine", "description": "A lesson",
      "scenario": {"source": "file", "text": "the cat that chases the dogs"},
      "steps": [{"text": {"en": ""}}]})json");
    lesson["scenario"]["file"] = places::sentences();
    lesson["steps"][0]["text"]["en"] = text;
    if (!effect.is_null()) lesson["steps"][0]["effect"] = effect;
    samples::write_text(scratch / "mine.json", lesson.dump());
    return mistakes_in_course((scratch / "mine.json").string());
  };
  const char* reason = "Head 3 finds the cat, so the network says is.";
  CHECK(says_so(checked(reason, nullptr), "$.steps[0].text.en: gives a head as a reason"));
  CHECK(checked("This head looks at the cat. So much for looking.", nullptr).empty());
  CHECK(checked("The cat is ahead, so we go.", nullptr).empty());
  CHECK(checked(reason, {{"knock_out", "0.3"}, {"from", "is"}, {"to", "because"}}).empty());
  const auto wrong = checked(reason, {{"knock_out", "1.1"}, {"from", "is"}, {"to", "are"}});
  CHECK(says_so(wrong, R"($.steps[0].effect.to: "are" is said, but it is "is")"));
  CHECK(says_so(wrong, "$.steps[0].effect: without these heads the answer is the same"));
  CHECK(says_so(checked(reason, {{"knock_out", "9.9"}, {"from", "is"}, {"to", "are"}}), "$.steps[0].effect"));
  CHECK(says_so(checked(reason, {{"knock_out", "0.3"}, {"from", "is"}}), "$.steps[0].effect: has no to"));
}

TEST_CASE("a written number matches a value that rounds to it") {
  CHECK(says("0.50", 0.4951));
  CHECK_FALSE(says("0.50", 0.4949));
  CHECK(says("−0.3", -0.26));
  CHECK(says("21", 21));
  CHECK(says("63%", 0.634));
  CHECK_FALSE(says("63%", 0.64));
  CHECK(says("−∞", -std::numeric_limits<double>::infinity()));
  CHECK(says("NaN", std::numeric_limits<double>::quiet_NaN()));
  CHECK_FALSE(says("many", 3));
}

TEST_CASE("a mistyped address is an error when the lesson is opened") {
  const auto said = [](const char* place, const char* address) {
    Json json = good;
    json[Json::json_pointer(place)] = address;
    const samples::TempFolder scratch;
    samples::write_text(scratch / "mine.json", json.dump());
    return samples::sentence_of([&] { read_course((scratch / "mine.json").string()); });
  };
  for (const char* wrong : {"wieghts:0,0,0,0", "weights", "weights:0,0", "weights:0,0,0,x", "weights:0,0,0,0,0"}) {
    CAPTURE(wrong);
    CHECK(has(said("/steps/0/pose/select", wrong), "$.steps[0].pose.select"));
    CHECK(has(said("/steps/0/claims/w/of", wrong), "$.steps[0].claims.w.of"));
    CHECK(has(said("/steps/1/question/of", wrong), "$.steps[1].question.of"));
  }
  CHECK(said("/steps/0/pose/select", "weights:0,1,2,0") == "no error");
}
