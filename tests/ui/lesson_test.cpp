// Lessons in steps in the window: a step's pose, and what is right.
#include "core/lesson/course.h"
#include "core/run/pipeline.h"
#include "tests/catch.h"
#include "ui/document/action.h"
#include "ui/document/lesson_progress.h"
#include "ui/lessons/lesson_panel.h"

using namespace headlight;

namespace {

Document opened(const std::string& id) {
  Document document;
  Lesson lesson = open_source("lesson:" + id);
  Scenario scenario = lesson.scenario;
  begin_anew(document, std::move(lesson), std::move(scenario));
  begin_lesson(document);
  return document;
}

}  // namespace

TEST_CASE("every step of every lesson can be gone to, and undo goes back to the scenario before") {
  for (const Course& course : shipped_courses()) {
    INFO(course.card.id);
    Document document = opened(course.card.id);
    CHECK(document.scenario == course.steps.front().pose.scenario);
    for (std::size_t step = 0; step < course.steps.size(); ++step) {
      show_step(document, course, step);
      CHECK(document.view.lesson.step == step);
      CHECK(document.scenario == course.steps[step].pose.scenario);
      CHECK(document.view.selected.has_value() == course.steps[step].pose.select.has_value());
      CHECK(document.view.lesson.hidden == (course.steps[step].question ? course.steps[step].pose.hide : std::vector<Stage>{}));
    }
    show_step(document, course, 1000);
    CHECK(document.view.lesson.step == course.steps.size() - 1);
  }
}

TEST_CASE("every question of every lesson has an answer, which is right, and another that is not") {
  for (const Course& course : shipped_courses()) {
    for (const LessonStep& step : course.steps) {
      if (!step.question) continue;
      INFO(course.card.id << " " << step.path);
      const auto trace = compute(step.pose.scenario);
      const Question& question = *step.question;
      LessonProgress right, wrong;
      switch (question.kind) {
        case QuestionKind::choice:
          right.chosen = question.right;
          wrong.chosen = (question.right + 1) % question.choices.size();
          break;
        case QuestionKind::order:
          for (std::size_t i = 0; i < question.choices.size(); ++i) right.ordered.push_back(i);
          wrong.ordered = shuffled(question.choices.size());
          break;
        case QuestionKind::number:
          right.typed = right_answer(question, *trace, "en");
          wrong.typed = "1234567";
          break;
        case QuestionKind::mask:
          right.typed = question.mask;
          wrong.typed = "k == 1";
          break;
        default:
          FAIL("the window does not ask this");
      }
      CHECK(is_right(question, right, *trace));
      CHECK_FALSE(is_right(question, wrong, *trace));
      CHECK_FALSE(is_right(question, {}, *trace));
      CHECK_FALSE(right_answer(question, *trace, "zh").empty());
    }
  }
}

TEST_CASE("another way to write the same mask is as right") {
  const auto trace = compute(open_source("lesson:causal-mask").scenario);
  Question question;
  question.kind = QuestionKind::mask;
  question.mask = "causal()";
  LessonProgress said;
  for (const char* same : {"k <= q", "!(k > q)", "causal()"}) {
    said.typed = same;
    CHECK(is_right(question, said, *trace));
  }
  said.typed = "k <= ";
  CHECK_FALSE(is_right(question, said, *trace));
}
