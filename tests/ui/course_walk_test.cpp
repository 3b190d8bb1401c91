// Every lesson is stepped from start to end, and stages that a question hides are hidden in every view.
#include <algorithm>
#include <filesystem>
#include <optional>

#include <imgui_internal.h>

#include "core/base/tensor/tensor.h"
#include "core/base/text/unicode.h"
#include "core/base/text/utf8_path.h"
#include "core/teaching/lesson/course.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "ui/base/document/lesson_progress.h"
#include "ui/base/document/view.h"
#include "ui/views/lessons/answers.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/views/lessons/panel_column.h"
#include "ui/window/session/lesson_memory.h"

using namespace headlight;
using namespace headlight::test;
using samples::has;

namespace {

Document at_lesson(const Course& course, const std::string& language = "en") {
  Document document;
  document.view.language = language;
  Lesson lesson = course.card;
  lesson.course = course.card.file;
  lesson.file.clear();
  Scenario scenario = lesson.scenario;
  begin_anew(document, std::move(lesson), std::move(scenario));
  begin_lesson(document);
  document.undo.clear();
  return document;
}

/// The characters of the text that no loaded font has.
std::string missing_characters(const std::string& text) {
  std::string missing;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = next_character(text, at);
    bool found = c < 0x20 || c == 0x7F;
    for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
      found = found || const_cast<ImFont*>(font)->FindGlyphNoFallback(static_cast<ImWchar>(c)) != nullptr;
    if (!found) missing += text.substr(from, at - from);
  }
  return missing;
}

void walk(const Course& course, const std::string& language, ImVec2 size) {
  INFO(course.card.id << " in " << language);
  HeadlessWindow window(at_lesson(course, language), size);
  for (std::size_t step = 0; step < course.steps.size(); ++step) {
    INFO("step " << step + 1);
    window.session.perform(GoToStep{step});
    window.settle();
    const Document& document = window.document();
    CHECK(window.session.faults() == 0);
    CHECK(document.error.empty());
    CHECK(document.view.lesson.step == step);
    REQUIRE(document.trace);
    if (const auto& stage = course.steps[step].pose.stage) CHECK(document.trace->has(*stage));
    const ImGuiWindow* panel = ImGui::FindWindowByName("lesson");
    REQUIRE(panel != nullptr);
    CHECK(panel->Active);
    CHECK(panel->ScrollMax.x == 0);  // no text is wider than the panel
  }
  CHECK(missing_characters(course_text(course, language)).empty());
}

}  // namespace

TEST_CASE("every lesson is stepped from start to end, in English on a small window and in Chinese on a smaller one") {
  for (const Course& course : shipped_courses()) {
    walk(course, "en", {1280, 720});
    walk(course, "zh", {1024, 768});
  }
}

TEST_CASE("a question about a mask or a row is drawn also in a window without room for it") {
  for (const Course& course : shipped_courses()) {
    HeadlessWindow window(at_lesson(course));
    for (std::size_t step = 0; step < course.steps.size(); ++step) {
      const auto& question = course.steps[step].question;
      if (!question || (question->kind != QuestionKind::mask && question->kind != QuestionKind::row)) continue;
      INFO(course.card.id << ", step " << step + 1);
      window.session.perform(GoToStep{step});
      for (const float width : {330.0f, 640.0f, 1500.0f}) {
        for (float height = 200; height < 460; height += 10) {
          ImGui::GetIO().DisplaySize = {width, height};
          window.frame();
          window.frame();
        }
      }
      CHECK(window.session.faults() == 0);
    }
  }
}

TEST_CASE("Next and Back have the same place at every step of a lesson") {
  for (const ImVec2 size : {ImVec2{1024, 768}, ImVec2{1600, 900}}) {
    const Course course = course_named("softmax-temperature");
    HeadlessWindow window(at_lesson(course, "en"), size);
    std::optional<ImVec2> next, back;
    for (std::size_t step = 0; step < course.steps.size(); ++step) {
      window.session.perform(GoToStep{step});
      window.settle();
      INFO(step);
      const bool last = step + 1 == course.steps.size();
      const ImVec2 now = window.find("lesson_steps", {last ? "all" : "next"}),
                   before = window.find("lesson_steps", {"back"});
      CHECK(now.x > 0);
      CHECK((before.x > 0) == (step > 0));
      if (!next) next = now;
      if (!last) CHECK((now.x == next->x && now.y == next->y));
      if (step > 0 && !back) back = before;
      if (back) CHECK((before.x == back->x && before.y == back->y));
    }
    window.click(*back);
    window.settle();
    CHECK(window.document().view.lesson.step == course.steps.size() - 2);
  }
}

TEST_CASE("no line of a step's text is wider than the panel") {
  HeadlessWindow window(at_lesson(course_named("causal-mask"), "zh"), {1024, 768});
  window.settle();
  Fonts fonts;
  fonts.load(1, "", "");  // loads the widths of common characters; others get the fallback's width
  for (const Course& course : shipped_courses()) {
    for (const LessonStep& step : course.steps) {
      for (const char* language : {"en", "zh"}) {
        const ProseLayout layout = lay_out_prose(fonts, step.runs(language), 16, 246);
        INFO(course.card.id << " " << step.path);
        std::string all;
        for (const ProsePiece& piece : layout.pieces) {
          CHECK(piece.at.x + piece.width <= 247);
          CHECK(piece.at.y < layout.height);
          all += piece.words;
        }
        const auto without_blanks = [](std::string text) {
          std::erase(text, ' ');
          return text;
        };
        CHECK(without_blanks(all) == without_blanks(step.prose(language)));
      }
    }
  }
}

TEST_CASE("a stage that a question hides is in no view and level, and cannot be saved, until it is answered") {
  int hidden_steps = 0;
  for (const Course& course : shipped_courses()) {
    HeadlessWindow window(at_lesson(course));
    for (std::size_t step = 0; step < course.steps.size(); ++step) {
      if (course.steps[step].pose.hide.empty() || !course.steps[step].question) continue;
      INFO(course.card.id << " step " << step + 1);
      ++hidden_steps;
      window.session.perform(GoToStep{step});
      window.settle();
      const auto hidden = window.document().view.lesson.hidden;
      const Trace& trace = *window.document().trace;
      const auto also_seen =
          [&](const Tensor& values) {  // equal numbers in a stage that is not hidden: scaled by 1, or nothing masked
            return std::ranges::any_of(trace.stages(), [&](Stage other) {
              return std::ranges::find(hidden, other) == hidden.end() && identical(trace[other], values);
            });
          };
      REQUIRE_FALSE(hidden.empty());
      for (const ViewKind kind : {ViewKind::pipeline, ViewKind::heads, ViewKind::mask, ViewKind::compare}) {
        for (const Level level : {Level::sentence, Level::pipeline, Level::operation}) {
          if (kind != ViewKind::pipeline && level != Level::pipeline) continue;
          window.session.perform(EditView{[&](View& v) {
            v.kind = kind;
            v.levels.level = level;
            v.levels.stage = hidden.front();
            v.heads.stage = hidden.front();
          }});
          window.settle();
          for (const MatrixQuad& quad : window.painter.quads) {
            for (const Stage stage : hidden) {
              if (!identical(quad.values, trace[stage]) || also_seen(trace[stage])) continue;
              INFO(name(stage) << " in view " << static_cast<int>(kind) << " at level " << static_cast<int>(level));
              CHECK(quad.revealed == 0);
            }
          }
        }
      }
      window.session.perform(TakeMatrix{{hidden.front(), 0, 0, 0, 0}, {}});
      CHECK(has(window.document().error.english(), "hidden"));
      window.session.perform(DismissMessage{});
    }
  }
  CHECK(hidden_steps >= 5);
}

TEST_CASE("a locked step allows changes only of the settings beside its text") {
  const Course course = read_course(places::fixtures() + "/../../docs/where-the-cat-looks.md");
  HeadlessWindow window(at_lesson(course));
  window.session.perform(GoToStep{1});
  window.settle();
  const Scenario before = window.document().scenario;
  window.session.perform(EditScenario{[](Scenario& s) { s.mask = "full()"; }, {}});
  CHECK(window.document().scenario == before);
  CHECK_FALSE(window.document().notice.empty());
  window.session.perform(EditScenario{[](Scenario& s) { s.scale = 3; }, "scale"});
  CHECK(window.document().scenario.scale == 3);
}

TEST_CASE("another window finds the answers and the step again, and they can be reset") {
  const samples::TempFolder scratch;
  const Course course = course_named("causal-mask");
  {
    HeadlessWindow window(at_lesson(course));
    window.session.remember_lessons_in(scratch.path() / "lessons");
    window.session.perform(GoToStep{2});
    window.settle();
    window.session.perform(EditView{[](View& v) {
      v.lesson.typed = "1";
      v.lesson.revealed = v.lesson.right = true;
    }});
    window.settle();
    window.session.perform(GoToStep{3});
    window.settle();
    REQUIRE(window.document().standings);
    CHECK(window.document().standings->at("causal-mask") == LessonStanding{3, 3, 1, 1});
  }
  HeadlessWindow window(at_lesson(course));
  window.session.remember_lessons_in(scratch.path() / "lessons");
  window.settle();
  CHECK(window.document().view.lesson.step == 3);
  REQUIRE(window.document().view.lesson.answer(2));
  CHECK(window.document().view.lesson.answer(2)->typed == "1");
  window.session.perform(ResetLessons{});
  window.settle();
  CHECK(window.document().view.lesson.step == 0);
  CHECK(window.document().view.lesson.answers.empty());
  CHECK_FALSE(std::filesystem::exists(scratch.path() / "lessons" / "causal-mask.json"));
}

TEST_CASE("a view saved as a step gives a lesson whose only mistakes are missing texts") {
  const samples::TempFolder scratch;
  HeadlessWindow window(sentence());
  window.settle();
  const std::string file = (scratch / "own.json").string();
  window.session.perform(SaveStep{file});
  window.session.perform(EditScenario{[](Scenario& s) { s.mask = "full()"; }, {}});
  window.session.perform(EditView{[](View& v) {
    v.levels.level = Level::operation;
    v.levels.stage = Stage::weights;
  }});
  window.settle();
  window.session.perform(SaveStep{file});
  CHECK(window.document().error.empty());
  CHECK(mistakes_in_course(file) == std::vector<std::string>{});
  const Course course = read_course(file);
  REQUIRE(course.steps.size() == 2);
  CHECK(course.steps[0].pose.scenario.mask == "causal()");
  CHECK(course.steps[1].pose.scenario.mask == "full()");
  CHECK(course.steps[1].pose.level == Level::operation);
  CHECK(course.steps[1].pose.stage == Stage::weights);
  for (const char* place : {"network", "mask:reach", "map:scaled_scores:2:5,0:3"}) {
    INFO(place);
    window.session.perform(EditView{[&](View& v) { v = with_view_fields(std::move(v), parse_view("--view", place)); }});
    window.session.perform(SaveStep{file});
    const Course grown = read_course(file);
    CHECK(view_text(grown.steps.back().pose.view) == place);
    CHECK(view_address(posed({}, grown.steps.back(), 0)) == place);
  }
  const CanvasCamera near{2.5f, 0.75f, 0.25f};
  window.session.perform(EditView{[&](View& v) { v.camera = near; }});
  window.session.perform(SaveStep{file});
  const LessonStep looked = read_course(file).steps.back();
  CHECK(looked.pose.camera == near);
  CHECK(posed({}, looked, 0).camera == near);
  window.session.perform(SaveStep{(scratch / "own.txt").string()});
  CHECK(has(window.document().error.english(), "own.txt"));
}

TEST_CASE(
    "answers that are saved as a file are gone on with on another machine, step and all; another kind of file is not "
    "written over") {
  const samples::TempFolder scratch;
  const Course course = course_named("many-heads");
  const std::string file = (scratch / "mine.json").string();
  {
    HeadlessWindow window(at_lesson(course));
    window.session.remember_lessons_in(scratch.path() / "here");
    window.settle();
    window.session.perform(EditView{[](View& v) {
      v.lesson.typed = "4";
      v.lesson.revealed = v.lesson.right = true;
    }});
    window.session.perform(GoToStep{3});
    window.settle();
    window.session.perform(SaveAnswers{file});
    CHECK(window.document().error.empty());
    window.session.perform(SaveAnswers{course.card.file});
    CHECK(has(window.document().error.english(), "another kind of file"));
  }
  CHECK(is_answers_file(file));
  CHECK_FALSE(is_answers_file(course.card.file));
  HeadlessWindow window(sentence());
  window.session.remember_lessons_in(scratch.path() / "there");
  window.settle();
  window.session.open(file);
  window.settle();
  CHECK(window.document().error.empty());
  CHECK(window.document().origin.lesson.id == "many-heads");
  CHECK(window.document().view.lesson.step == 3);
  REQUIRE(window.document().view.lesson.answer(0));
  CHECK(window.document().view.lesson.answer(0)->typed == "4");
  CHECK(window.document().view.lesson.answer(0)->right);
  REQUIRE(window.document().standings);
  CHECK(window.document().standings->at("many-heads") == LessonStanding{3, 3, 1, 1});
  samples::write_text(scratch / "cut.json", "{\"headlight_answers\": 1, \"lessons\": {\"many-heads\": {\"step\": ");
  window.session.open((scratch / "cut.json").string());
  CHECK(has(window.document().error.english(), "cut.json"));
  CHECK(window.document().view.lesson.step == 3);
  window.session.perform(ResetLessons{true});  // resets the lessons
  window.settle();
  CHECK(window.document().standings->at("many-heads").answered == 0);
}

TEST_CASE("a number is answered by dragging, and judged only after a click on the button") {
  const Course course = course_named("many-heads");
  HeadlessWindow window(at_lesson(course));
  window.settle();
  const ImVec2 knob = window.find("lesson", {"##number"});
  REQUIRE(knob.x > 0);
  window.drag(knob, {knob.x + 60, knob.y});
  const LessonProgress& now = window.document().view.lesson;
  CHECK_FALSE(now.typed.empty());
  CHECK_FALSE(now.revealed);
  const std::string dragged = now.typed;
  const ImVec2 check = window.find("lesson", {"show"});
  REQUIRE(check.x > 0);
  window.click(check);
  CHECK(window.document().view.lesson.revealed);
  CHECK(window.document().view.lesson.typed == dragged);
}

TEST_CASE("after a wrong choice there is one more try before the answer is shown") {
  const Course course = course_named("softmax-temperature");
  const std::size_t step = 2;
  REQUIRE(course.steps[step].question->kind == QuestionKind::choice);
  const std::size_t right = course.steps[step].question->right;
  for (const bool learns : {true, false}) {
    Document document = at_lesson(course);
    begin_lesson(document, step);
    HeadlessWindow window(std::move(document), {1600, 1200});
    window.settle();
    const LessonProgress& now = window.document().view.lesson;
    const auto choose = [&](std::size_t choice) {
      const ImVec2 at = window.find("lesson", {("choice" + std::to_string(choice)).c_str()});
      REQUIRE(at.x > 0);
      window.click(at);
      window.settle();
    };
    choose((right + 1) % 3);
    CHECK_FALSE(now.revealed);
    choose(learns ? right : (right + 2) % 3);
    CHECK(now.revealed);
    CHECK(now.right == learns);
  }
}

TEST_CASE("a number's slider can be set to the answer exactly enough, and its ends do not reveal it") {
  for (const Course& course : shipped_courses()) {
    for (std::size_t step = 0; step < course.steps.size(); ++step) {
      const auto& question = course.steps[step].question;
      if (!question || question->kind != QuestionKind::number) continue;
      INFO(course.card.id << " step " << step + 1);
      Document document = at_lesson(course);
      begin_lesson(document, step);
      HeadlessWindow window(std::move(document));
      window.settle();
      const Compared* compared = window.document().own_compared.get();
      const Trace& trace = *window.document().trace;
      const NumberScale scale = scale_of(*question, trace, compared);
      bool sayable = false;
      for (int i = 0; i <= 1000 && !sayable; ++i) {
        LessonAnswer answer;
        answer.typed = scale.at(i / 1000.0);
        sayable = is_right(*question, answer, trace, compared);
      }
      CHECK(sayable);
      for (const double end : {0.0, 1.0}) {
        LessonAnswer answer;
        answer.typed = scale.at(end);
        if (is_right(*question, answer, trace, compared))
          CHECK((scale.from == 0 || scale.to == 1));  // the answer may be 0 or 1
      }
    }
  }
}

TEST_CASE("the form that saves a step opens visibly at the end of the list, and Enter saves the step") {
  const samples::TempFolder folder;
  HeadlessWindow window(sentence());
  window.session.perform(EditView{[](View& v) { v.kind = ViewKind::lesson; }});
  window.settle();
  window.move({800, 400});
  for (int turn = 0; turn < 60; ++turn) window.wheel(-5);
  window.settle();
  const ImVec2 chip = window.find("canvas", {"save_step"});
  REQUIRE(chip.x > 0);
  window.click(chip);
  window.settle();
  CHECK(window.find("canvas", {"save"}).x > 0);
  window.session.perform(EditView{[&](View& v) { v.saving_step = utf8_from(folder / "mine.json"); }});
  window.press(compat::Key::enter);
  window.settle();
  CHECK(window.document().error.empty());
  CHECK(std::filesystem::exists(folder / "mine.json"));
}
