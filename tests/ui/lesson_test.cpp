// Lessons in the window: the scenario of each step, and the judging of answers.
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/base/text/utf8_path.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/pipeline.h"
#include "core/scenario/documents/open_source.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "core/teaching/lesson/course.h"
#include "tests/catch.h"
#include "ui/base/document/action.h"
#include "ui/base/document/lesson_progress.h"
#include "ui/views/lessons/answers.h"

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

TEST_CASE("every step of every lesson can be opened, and undo returns to the scenario before") {
  for (const Course& course : shipped_courses()) {
    INFO(course.card.id);
    Document document = opened(course.card.id);
    CHECK(document.scenario == course.steps.front().pose.scenario);
    // The stages that a step hides are read from the file, independently of the program.
    const auto file = nlohmann::json::parse(std::ifstream(path_from(course.card.file)));
    for (std::size_t step = 0; step < course.steps.size(); ++step) {
      show_step(document, course, step);
      CHECK(document.view.lesson.step == step);
      CHECK(document.scenario == course.steps[step].pose.scenario);
      CHECK(document.view.selected.has_value() == course.steps[step].pose.select.has_value());
      std::vector<std::string> hidden;
      for (const Stage stage : document.view.lesson.hidden) hidden.emplace_back(name(stage));
      const auto& written = file.at("steps").at(step);
      const bool asks = written.contains("question");
      CHECK(hidden ==
            (asks ? written.at("pose").value("hide", std::vector<std::string>()) : std::vector<std::string>()));
    }
    show_step(document, course, 1000);
    CHECK(document.view.lesson.step == course.steps.size() - 1);
  }
}

TEST_CASE("a step hides its panels while it asks, and only then") {
  LessonStep step;
  step.pose.hide = {Stage::weights, Stage::scores};
  CHECK(at_step({}, step, 0).hidden.empty());
  step.question.emplace();
  CHECK(at_step({}, step, 0).hidden == step.pose.hide);
  LessonProgress answered;
  answered.answers[0].revealed = true;
  CHECK(at_step(answered, step, 0).hidden.empty());
}

TEST_CASE("every question of every lesson accepts its answer and rejects another") {
  for (const Course& course : shipped_courses()) {
    for (const LessonStep& step : course.steps) {
      if (!step.question) continue;
      INFO(course.card.id << " " << step.path);
      const auto trace = compute_any(step.pose.scenario);
      const Question& question = *step.question;
      Compared compared;
      if (course.bug) {
        compared.trace = trace;
        compared.own = mistaken_stages(course.bug->mistake, course.bug->variant, trace);
        compared.comparison = differences(*trace, compared.own);
      }
      LessonAnswer right, wrong;
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
        case QuestionKind::row:
          for (const double share : row_of(*trace, question.measure->of)) {
            right.row.push_back(static_cast<float>(share));
            wrong.row.push_back(share < 0.05 ? 1.0f : 0.0f);
          }
          break;
        case QuestionKind::head:
          right.head = {question.layer, question.head};
          wrong.head = {question.layer, question.head + 1};
          break;
        case QuestionKind::stage:
          right.stage = compared.comparison.first_difference()->stage;
          wrong.stage = Stage::query;
          break;
      }
      CHECK(is_right(question, right, *trace, &compared));
      CHECK_FALSE(is_right(question, wrong, *trace, &compared));
      CHECK_FALSE(is_right(question, {}, *trace, &compared));
      CHECK_FALSE(right_answer(question, *trace, "zh", &compared).empty());
    }
  }
}

TEST_CASE("another expression with the same mask is a right answer") {
  const auto trace = compute(open_source("lesson:padding").scenario);
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

TEST_CASE("of a mask that differs between batch entries, one that forbids something is painted") {
  const Course course = course_named("padding");
  int asked = 0;
  for (const LessonStep& step : course.steps) {
    if (!step.question || step.question->kind != QuestionKind::mask) continue;
    const auto trace = compute_any(step.pose.scenario);
    const Index entry = painted_entry(*step.question, *trace);
    CHECK(entry == 1);
    LessonAnswer painted;
    painted.cells.assign(static_cast<std::size_t>(trace->dims().n_q * trace->dims().n_k), true);
    CHECK_FALSE(is_right(*step.question, painted, *trace));
    painted.cells = allowed_cells(step.question->mask, *trace, entry, 0);
    CHECK(is_right(*step.question, painted, *trace));
    ++asked;
  }
  CHECK(asked == 1);
}

TEST_CASE("a mask that is painted is judged by its cells") {
  const auto trace = compute(open_source("lesson:padding").scenario);
  Question question;
  question.kind = QuestionKind::mask;
  question.mask = "causal()";
  LessonAnswer painted;
  painted.cells = allowed_cells("k <= q", *trace, 0, 0);
  CHECK(painted.cells.size() == 36);
  CHECK(is_right(question, painted, *trace));
  painted.cells[1] = true;
  CHECK_FALSE(is_right(question, painted, *trace));
}

TEST_CASE(
    "answers stay while one goes on and comes back, what was hidden too, and a lesson that is opened begins anew") {
  Document document = opened("causal-mask");
  const Course course = course_named("causal-mask");
  show_step(document, course, 3);
  CHECK_FALSE(document.view.lesson.hidden.empty());
  document.view.lesson.typed = "1";
  document.view.lesson.revealed = true;
  show_step(document, course, 4);
  CHECK_FALSE(document.view.lesson.begun());
  CHECK(document.view.lesson.hidden.empty());
  show_step(document, course, 3);
  CHECK(document.view.lesson.typed == "1");
  CHECK(document.view.lesson.hidden.empty());
  CHECK(document.view.lesson.furthest == 4);
  begin_lesson(document);
  CHECK_FALSE(document.view.lesson.begun());
  CHECK(document.view.lesson.answers.empty());
  CHECK(document.view.lesson.furthest == 0);
}

TEST_CASE("a step opens at its level and stage") {
  Document document = opened("weighted-average");
  Course course = course_named("weighted-average");
  course.steps[1].pose.level = Level::operation;
  course.steps[1].pose.stage = Stage::weights;
  show_step(document, course, 1);
  CHECK(document.view.levels.level == Level::operation);
  CHECK(document.view.levels.stage == Stage::weights);
  course.steps[2].pose.level = Level::pipeline;
  show_step(document, course, 2);
  CHECK(document.view.levels.level == Level::pipeline);
}

TEST_CASE("a lesson with a mistake compares its stages with the run, and another lesson removes them") {
  Document document = opened("bug-no-scale");
  REQUIRE(document.own);
  CHECK(document.own->mistake == "no_scale");
  CHECK_FALSE(document.own->mended);
  const Course course = course_named("bug-no-scale");
  show_step(document, course, course.steps.size() - 1);
  CHECK(document.own->mended);
  Lesson other = open_source("lesson:causal-mask");
  Scenario scenario = other.scenario;
  begin_anew(document, std::move(other), std::move(scenario));
  begin_lesson(document);
  CHECK_FALSE(document.own);
}
