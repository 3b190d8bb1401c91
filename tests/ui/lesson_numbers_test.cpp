// Numbers in lessons: they are those of the settings that are shown; a number that is asked for is not on screen; an
// answer that cannot be read costs no guess.
#include <cmath>
#include <set>

#include "core/base/tensor/error.h"
#include "core/compute/network/network_trace.h"
#include "core/scenario/settings/settings_table.h"
#include "core/teaching/lesson/course.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/document/lesson_progress.h"
#include "ui/base/look/fonts.h"
#include "ui/parts/widgets/typed_number.h"
#include "ui/views/lessons/answers.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Document at_lesson_step(const Course& course, std::size_t step) {
  Document document;
  Lesson lesson = course.card;
  lesson.course = course.card.file;
  lesson.file.clear();
  Scenario scenario = lesson.scenario;
  begin_anew(document, std::move(lesson), std::move(scenario));
  begin_lesson(document, step);
  return document;
}

/// Everything that the window says, piece by piece.
std::vector<std::string> drawn_texts(HeadlessWindow& window) {
  Record record;
  ImGui::GetIO().UserData = &record;
  window.frame();
  ImGui::GetIO().UserData = nullptr;
  std::vector<std::string> texts;
  for (const RecordedText& text : record.texts) texts.push_back(text.text);
  return texts;
}

/// Everything that it says while the pointer goes over all of it, tooltips and panels included.
std::set<std::string> all_texts_under_the_pointer(HeadlessWindow& window) {
  std::set<std::string> all;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  for (float y = 20; y < size.y; y += 56) {
    for (float x = 20; x < size.x; x += 72) {
      window.move({x, y});
      const auto texts = drawn_texts(window);
      all.insert(texts.begin(), texts.end());
    }
  }
  window.move({-1e6f, -1e6f});
  const auto texts = drawn_texts(window);
  all.insert(texts.begin(), texts.end());
  return all;
}

/// Scenarios that differ from the step's in one of the settings that it leaves free.
std::vector<Scenario> changed_scenarios(const LessonStep& step) {
  std::vector<Scenario> all;
  for (const std::string& key : step.pose.controls) {
    for (const Setting& setting : all_settings()) {
      if (setting.key != key) continue;
      for (const char* value : {"3", "0.25", "32"}) {
        Scenario changed = step.pose.scenario;
        try {
          setting.apply(changed, key, value);
          all.push_back(changed);
        } catch (const InputError&) {  // not in its range
        }
      }
    }
  }
  for (const Try& offered : step.pose.tries) all.push_back(offered.scenario);
  return all;
}

}  // namespace

TEST_CASE("a number in a lesson's text follows the settings that its step leaves free, or is said of its own setting") {
  int followed = 0;
  for (const Course& course : shipped_courses()) {
    for (const LessonStep& step : course.steps) {
      for (const Scenario& changed : changed_scenarios(step)) {
        INFO(course.card.id << " " << step.path);
        std::shared_ptr<const Trace> trace;
        try {
          trace = compute_any(changed, nullptr, Run{.summary = Summary::whole, .stop = {}, .progress = {}});
        } catch (const InputError&) { continue; }  // the setting does not fit the others
        const std::vector<std::string> numbers = step.numbers_in(*trace);
        REQUIRE(numbers.size() == step.claims.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          const Claim& claim = step.claims[i];
          INFO(claim.name << " is " << numbers[i]);
          if (claim.scenario) {
            CHECK(numbers[i] == claim.is);
            continue;
          }
          CHECK(says(numbers[i], measured(claim.measure, *trace)));
          followed += numbers[i] != claim.is ? 1 : 0;
        }
      }
    }
  }
  CHECK(followed > 10);
}

TEST_CASE("the panel shows the numbers of the changed settings, says so, and goes back to those of the step") {
  const Course course = course_named("why-sqrt-d");
  HeadlessWindow window(at_lesson_step(course, 4), {1600, 1100});
  window.settle();
  const auto shows = [&](const std::string& wanted) {
    const auto texts = drawn_texts(window);
    return std::ranges::any_of(texts, [&](const std::string& text) { return text.find(wanted) != std::string::npos; });
  };
  CHECK(shows("14.9"));
  window.session.perform(EditScenario{[](Scenario& s) { s.d_model = 16; }, {}});
  window.settle();
  CHECK_FALSE(shows("14.9"));
  const double deviation = measured({Taking::deviation, "scores:0,0,:,:", "", false}, *window.document().trace);
  CHECK(shows(as_shown("14.9", deviation)));
  const ImVec2 back = window.find("lesson", {"its_words"});
  REQUIRE(back.x > 0);
  window.click(back);
  window.settle();
  CHECK(shows("14.9"));
  CHECK(window.document().scenario == course.steps[4].pose.scenario);
}

TEST_CASE("with W_k = W_q, which the reader sets with one click, every score is that of the reversed pair") {
  const Course course = course_named("by-hand");
  const std::size_t last = course.steps.size() - 1;
  HeadlessWindow window(at_lesson_step(course, last), {1600, 1100});
  window.settle();
  const auto symmetric = [&] {
    const MatrixView scores = (*window.document().trace)[Stage::scores].matrix();
    for (Index q = 0; q < scores.rows; ++q) {
      for (Index k = 0; k < q; ++k) {
        if (scores(q, k) != scores(k, q)) return false;
      }
    }
    return true;
  };
  CHECK_FALSE(symmetric());
  const ImVec2 button = window.find("lesson", {"try0"});
  REQUIRE(button.x > 0);
  window.click(button);
  window.settle();
  CHECK(symmetric());
  window.click(window.find("lesson", {"try0"}));
  window.settle();
  CHECK_FALSE(symmetric());
}

TEST_CASE("an answer's number is in no label, tooltip or panel of its step while it is asked for") {
  int asked = 0;
  for (const Course& course : shipped_courses()) {
    for (std::size_t i = 0; i < course.steps.size(); ++i) {
      const auto& question = course.steps[i].question;
      if (!question || !question->measure || question->measure->take == Taking::count) continue;
      if (question->kind != QuestionKind::number && question->kind != QuestionKind::row) continue;
      INFO(course.card.id << " step " << i + 1);
      HeadlessWindow window(at_lesson_step(course, i), {1366, 768});
      window.settle();
      const Trace& trace = *window.document().trace;
      std::vector<double> answers;
      if (question->kind == QuestionKind::row) answers = row_of(trace, question->measure->of);
      else answers.push_back(measured(*question->measure, trace));
      const std::string told = course.steps[i].prose("en");
      std::set<std::string> drawn = all_texts_under_the_pointer(window);
      for (const double answer : answers) {
        if (answer == std::round(answer)) continue;  // small whole numbers count something else everywhere
        ++asked;
        for (const std::string& text : drawn) {
          const bool precise = text.find('.') != std::string::npos && text.size() >= 4;
          INFO(text);
          CHECK_FALSE((precise && says(text, answer) && told.find(text) == std::string::npos));
        }
      }
    }
  }
  CHECK(asked > 5);
}

TEST_CASE("what cannot be read is said and costs no guess: no number, no mask") {
  CHECK(typed_number("−1,5") == Approx(-1.5));
  CHECK(typed_number("50 %") == Approx(0.5));
  CHECK(typed_number("+2") == Approx(2));
  for (const char* nonsense : {"abc", "", "12abc", "1.2.3", "inf", "nan", "%", "--1"})
    CHECK_FALSE(typed_number(nonsense).has_value());

  const Words words("en");
  int read = 0;
  for (const auto& [id, kind, nonsense] : {std::tuple("many-heads", QuestionKind::number, "abc"),
                                           std::tuple("padding", QuestionKind::mask, "the first word")}) {
    const Course course = course_named(id);
    for (std::size_t i = 0; i < course.steps.size(); ++i) {
      const auto& question = course.steps[i].question;
      if (!question || question->kind != kind) continue;
      INFO(id << " step " << i + 1);
      HeadlessWindow window(at_lesson_step(course, i), {1600, 1100});
      window.settle();
      const ImVec2 field = window.find("lesson", {"##answer"});
      REQUIRE(field.x > 0);
      window.click(field);
      window.type_and_enter(nonsense);
      window.settle();
      const LessonProgress& now = window.document().view.lesson;
      CHECK_FALSE(now.revealed);
      CHECK(now.typed == nonsense);
      CHECK_FALSE(unreadable(*question, now, *window.document().trace, words).empty());
      window.click(window.find("lesson", {"##answer"}));
      window.press('a', true);  // selects all of it
      const std::string right = right_answer(*question, *window.document().trace, "en");
      window.type_and_enter(right.c_str());
      window.settle();
      CHECK(now.revealed);
      CHECK(now.right);
      ++read;
    }
  }
  CHECK(read >= 2);
}

TEST_CASE("the slider of a weight runs from 0 to 1") {
  for (const Course& course : shipped_courses()) {
    for (const LessonStep& step : course.steps) {
      const auto& question = step.question;
      if (!question || question->kind != QuestionKind::number || !question->measure || question->range) continue;
      if (!question->measure->of.starts_with("weights:") || question->measure->take != Taking::value) continue;
      INFO(course.card.id << " " << step.path);
      const NumberScale scale = scale_of(*question, *compute_any(step.pose.scenario));
      CHECK(scale.from == 0);
      CHECK(scale.to == 1);
    }
  }
}

TEST_CASE("a number of a text is written as the lesson writes it, with two digits at least") {
  CHECK(as_shown("0.93", 1.2345) == "1.23");
  CHECK(as_shown("14.9", 0.9321) == "0.93");
  CHECK(as_shown("0.50", -0.25) == "−0.25");
  CHECK(as_shown("2", 3) == "3");
  CHECK(as_shown("2", 2.5) == "2.5");
  CHECK(as_shown("47 %", 0.031) == "3.1 %");
  CHECK(as_shown("0.00", 0) == "0.00");
  CHECK(as_shown("1", std::nan("")) == "NaN");
}
