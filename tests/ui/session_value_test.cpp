// Undo, requests during a computation, and replaying a log of actions.
#include <nlohmann/json.hpp>

#include "core/base/tensor/error.h"
#include "core/scenario/documents/open_source.h"
#include "core/teaching/lesson/course.h"
#include "tests/catch.h"
#include "tests/ui/monkey.h"
#include "ui/base/document/action.h"
#include "ui/base/document/lesson_progress.h"
#include "ui/base/document/logged_actions.h"
#include "ui/base/document/view.h"
#include "ui/base/document/wanted.h"
#include "ui/base/look/words.h"
#include "ui/window/session/recovery.h"

using namespace headlight;
using namespace headlight::test;

namespace {

using Json = nlohmann::json;

template <typename T>
void read_part(T& part, const Json& json) {
  if constexpr (std::is_enum_v<T>) part = static_cast<T>(json.get<int>());
  else if constexpr (std::is_same_v<T, Cell>) part = parse_cell("a logged action", json.get<std::string>());
  else part = json.get<T>();
}

/// The action of type T, if `word` is its name.
template <typename T>
std::optional<Action> read_as(const std::string& word, const Json& list) {
  if constexpr (!is_logged<T>) {
    return {};
  } else {
    if (word != std::get<0>(logged<T>)) return {};
    T action{};
    std::apply(
        [&](const char*, auto... parts) {
          std::size_t i = 0;
          (read_part(action.*parts, list.at(i++)), ...);
        },
        logged<T>);
    return action;
  }
}

template <std::size_t... I>
std::optional<Action> read_any(const std::string& word, const Json& list, std::index_sequence<I...>) {
  std::optional<Action> found;
  ((found = found ? found : read_as<std::variant_alternative_t<I, Action>>(word, list)), ...);
  return found;
}

/// The action in a line of the log.
Action read_action(const std::string& line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const Json list = blank < line.size() ? Json::parse(line.substr(blank + 1), nullptr, false) : Json::array();
  const auto action = read_any(line.substr(0, blank), list, std::make_index_sequence<std::variant_size_v<Action>>());
  REQUIRE(action);
  return *action;
}

Document opened_lesson(const std::string& id) {
  Document document;
  Lesson lesson = open_source("lesson:" + id);
  Scenario scenario = lesson.scenario;
  begin_anew(document, std::move(lesson), std::move(scenario));
  begin_lesson(document);
  document.undo.clear();
  return document;
}

/// Drags along the whole track without waiting for results, and releases the button where the drag began.
void drag_there_and_back(HeadlessWindow& window, ImVec2 at, float reach) {
  window.move(at);
  window.frame();
  window.press_button(true);
  for (const float part : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f, 0.75f, 0.5f, 0.25f, 0.0f}) {
    window.move({at.x + part * reach, at.y});
    window.frame();
  }
  window.press_button(false);
  window.frame();
}

}  // namespace

TEST_CASE("dragging queries past the number of keys keeps the keys, and heads past the key/value heads the grouping") {
  Document document = random_document(6, 16, 8);
  document.scenario.keys = 10;
  document.scenario.kv_heads = 2;
  HeadlessWindow window(document);
  for (const char* slider : {"queries", "heads"}) {
    const ImVec2 track = window.find("controls", {slider, "##track"});
    REQUIRE(track.x > 0);
    drag_there_and_back(window, track, 60);
    drag_there_and_back(window, track, -60);
    CHECK(window.document().scenario.keys == 10);
    CHECK(window.document().scenario.kv_heads == 2);
  }
}

TEST_CASE("a second edit before the first is computed keeps the first") {
  Document document = random_document(6, 16, 2);
  document.scenario.batch_size = 3;
  document.scenario.mask = "padding()";
  document.scenario.valid_lens = {{6}, {6}, {6}};
  HeadlessWindow window(document, {1600, 2000});
  const auto slide = [&](const char* id, float by) {
    const ImVec2 at = window.find("controls", {id, "##track"});
    REQUIRE(at.x > 0);
    return ImVec2{at.x + by, at.y};
  };
  const ImVec2 first = slide("length0", -20), second = slide("length1", -20);
  for (const ImVec2 at : {first, second}) {  // does not wait for the result of the first
    window.move(at);
    window.frame();
    window.press_button(true);
    window.frame();
    window.press_button(false);
    window.frame();
  }
  window.settle();
  CHECK(window.document().scenario.valid_lens[0][0] < 6);
  CHECK(window.document().scenario.valid_lens[1][0] < 6);
  CHECK(window.document().scenario.valid_lens[2][0] == 6);
}

TEST_CASE("the outcome of an earlier scenario leaves the head and the cell that are looked at now") {
  Document document = random_document(4, 16, 8);
  HeadlessWindow window(document);
  Document now = window.document();
  Scenario few = now.scenario;
  few.heads = 2;
  HeadlessWindow other(random_document(4, 16, 2));
  apply(now, EditScenario{[](Scenario& s) { s.seed = 7; }, {}});
  now.view.head = 6;
  now.view.selected = Cell{Stage::weights, 0, 6, 1, 1};
  show_trace(now, other.document().trace, few);
  CHECK(now.view.head == 6);
  CHECK(now.view.selected == Cell{Stage::weights, 0, 6, 1, 1});
}

TEST_CASE("from random numbers back to the text what the text does not have is left out, said, and undone") {
  HeadlessWindow window(sentence());
  window.session.perform(ChangeSource{Source::random});
  window.session.perform(EditScenario{[](Scenario& s) {
                                        s.queries = 23, s.keys = 9, s.painted = {{-1, -1, 20, 1, false}};
                                      },
                                      {}});
  window.settle();
  REQUIRE(window.document().trace->dims().n_q == 23);
  const Scenario random = window.document().scenario;
  window.session.perform(ChangeSource{Source::text});
  window.settle();
  CHECK(window.document().error.empty());
  CHECK(window.document().scenario.source == Source::text);
  CHECK(window.document().trace->dims().n_q == 6);
  CHECK_FALSE(window.document().notice.empty());
  window.session.perform(Undo{});
  window.settle();
  CHECK(window.document().scenario == random);
}

TEST_CASE("undo over a lesson that was opened brings back the one before with its progress, and redo the other") {
  Document document = opened_lesson("causal-mask");
  const Course course = course_named("causal-mask");
  show_step(document, course, 3);
  REQUIRE_FALSE(document.view.lesson.hidden.empty());
  const LessonProgress before = document.view.lesson;
  Lesson other = open_source("lesson:padding");
  Scenario scenario = other.scenario;
  begin_anew(document, std::move(other), std::move(scenario));
  begin_lesson(document);
  apply(document, Undo{});
  CHECK(document.origin.lesson.id == "causal-mask");
  CHECK(document.view.lesson == before);
  CHECK(document.scenario == course.steps[3].pose.scenario);
  apply(document, Redo{});
  CHECK(document.origin.lesson.id == "padding");
  CHECK(document.view.lesson.step == 0);
}

TEST_CASE("undo from a step that hides stages to a plain document hides nothing") {
  Document document = sentence();
  const Course course = course_named("causal-mask");
  Lesson lesson = open_source("lesson:causal-mask");
  Scenario scenario = lesson.scenario;
  begin_anew(document, std::move(lesson), std::move(scenario));
  begin_lesson(document);
  show_step(document, course, 3);
  while (!document.undo.empty()) apply(document, Undo{});
  CHECK(document.origin.lesson.course.empty());
  CHECK(document.view.lesson == LessonProgress{});
  CHECK(document.scenario == sentence().scenario);
}

TEST_CASE("undo within a lesson goes back a step, and what was answered stays answered") {
  Document document = opened_lesson("causal-mask");
  const Course course = course_named("causal-mask");
  show_step(document, course, 3);
  show_step(document, course, 4);
  document.view.lesson.answers[3].revealed = true;
  apply(document, Undo{});
  CHECK(document.view.lesson.step == 3);
  CHECK(document.view.lesson.revealed);
  CHECK(document.view.lesson.hidden.empty());
  CHECK(document.view.lesson.furthest == 4);
}

TEST_CASE("a step that is locked keeps every setting but its own, whoever asks") {
  Document document = opened_lesson("causal-mask");
  document.view.lesson.locked = true;
  document.view.lesson.controls = {"seed"};
  const Scenario before = document.scenario;
  for (const Action& action :
       {Action(EditScenario{[](Scenario& s) { s.mask = "k == 1"; }, "lesson.seed"}),
        Action(ChangeSource{Source::random}),
        Action(PatchScenario{R"({"painted": [{"query": 1, "key": 0, "attend": false}]})", {}})}) {
    document.refused = false;
    apply(document, action);
    CHECK(document.refused);
    CHECK(document.scenario == before);
  }
  apply(document, EditScenario{[](Scenario& s) { s.seed = 5; }, "seed"});
  CHECK_FALSE(document.refused);
  CHECK(document.scenario.seed == 5);
}

TEST_CASE("an opening that came to nothing leaves the lesson at its step") {
  Document document = opened_lesson("causal-mask");
  const Course course = course_named("causal-mask");
  show_step(document, course, 2);
  const LessonProgress before = document.view.lesson;
  Scenario file;
  file.source = Source::file;
  file.file = "of several layers.npz";
  begin_anew(document, Lesson{}, file);
  take_back_opening(document, "no layer");
  CHECK(document.origin.lesson.id == "causal-mask");
  CHECK(document.view.lesson == before);
  CHECK(document.scenario == course.steps[2].pose.scenario);
}

TEST_CASE("what is brought back after a crash is in its lesson, at its step, with its locks and answers") {
  Document document = opened_lesson("causal-mask");
  const Course course = course_named("causal-mask");
  document.view.lesson.answers[1].typed = "0.5";
  show_step(document, course, 3);
  const Document back = recovered(recovery_text(document), "kept.json").document;
  CHECK(back.origin.lesson.id == "causal-mask");
  CHECK(back.view.lesson == document.view.lesson);
  CHECK(view_fields(back.view) == view_fields(document.view));
  REQUIRE(back.undo.size() == document.undo.size());
  Document undone = back;
  apply(undone, Undo{});
  CHECK(undone.view.lesson.step == 0);
}

TEST_CASE("every field of a view survives as text") {
  View view;
  view.kind = ViewKind::map;
  view.map.region = MapRegion{0.5, 3, 1, 2.25};
  view.theme = Theme::dark;
  view.range.mode = RangeMode::fixed;
  view.range.fixed = {-1.5f, 2};
  view.selected = Cell{Stage::scores, 0, 1, 2, 3};
  view.head = 3;
  view.mask_draft = "k < ; %";
  view.levels.facet = Facet::journey;
  view.way = ProductOrder::outer;
  CHECK(view_fields(with_view_fields({}, view_fields(view)), view).empty());
  CHECK(view_fields(View{}).empty());
  CHECK(with_view_fields({}, "of_another_version=3;head=2").head == 2);
  CHECK_THROWS_AS(with_view_fields({}, "head=two"), SettingError);
}

TEST_CASE("an older link, in which the explained token is called a rival, explains it") {
  for (const char* facet : {"next", "why"}) {
    const LevelChoice levels = with_view_fields({}, std::string("facet=") + facet + ";rival=5").levels;
    CHECK(levels.explained == Index{5});
    CHECK(!levels.rival);
  }
  const LevelChoice journey = with_view_fields({}, "facet=journey;rival=5").levels;
  CHECK(journey.rival == Index{5});
  CHECK(!journey.explained);
}

TEST_CASE("replaying the log of a session gives the same document") {
  const Document start = sentence();
  HeadlessWindow window(start);
  Monkey monkey(5);
  for (int i = 0; i < 60; ++i) {
    monkey.step(window);
    REQUIRE(monkey.settle(window));
  }
  const std::deque<std::string> log = window.session.log();
  CHECK_FALSE(log.empty());
  for (const std::string& line : log) {
    const Document before = start;
    CHECK(action_text(read_action(line), before.scenario, before.view, before) == line);
  }
  const Scenario wanted = window.document().scenario;
  HeadlessWindow again(start);
  for (const std::string& line : log) {
    again.session.perform(read_action(line));
    REQUIRE(monkey.settle(again));
  }
  CHECK(again.document().scenario == wanted);
  CHECK(again.document().view.kind == window.document().view.kind);
}

TEST_CASE("a value that looks like a slot prints itself, and a word that is missing its key") {
  const Words words("en");
  CHECK(words.fill("lesson.step", {"{1}", "two"}).find("{1}") != std::string::npos);
  const char* missing = nullptr;
  {
    const std::string key = "no.such." + std::string("word");
    missing = words(key);
  }
  CHECK(std::string(missing) == "no.such.word");
}
