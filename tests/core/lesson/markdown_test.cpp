// Lessons in Markdown have the same fields as in JSON, and mistakes are named with their lines.
#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/scenario/documents/lesson.h"
#include "core/scenario/documents/open_source.h"
#include "core/scenario/settings/lesson_markdown.h"
#include "core/teaching/lesson/course.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"

using namespace headlight;
using samples::has;

namespace {

const std::string example = places::fixtures() + "/../../docs/where-the-cat-looks.md";

std::string read_text(const std::string& path) { return samples::read_bytes(path); }

/// The mistakes that are found in the example after `from` is replaced by `to`.
std::vector<std::string> mistakes(const std::string& from, const std::string& to) {
  std::string text = read_text(example);
  REQUIRE(has(text, from));
  text.replace(text.find(from), from.size(), to);
  const samples::TempFolder scratch;
  samples::write_text(scratch / "mine.md", text);
  return mistakes_in_course((scratch / "mine.md").string());
}

bool one_says(const std::vector<std::string>& all, std::string_view part) {
  return std::ranges::any_of(all, [&](const std::string& mistake) { return has(mistake, part); });
}

}  // namespace

TEST_CASE("the manual's Markdown lesson has no mistake and the fields that its text gives") {
  CHECK(mistakes_in_course(example) == std::vector<std::string>{});
  const Course course = read_course(example);
  CHECK(course.card.id == "where-the-cat-looks");
  CHECK(course.languages() == std::vector<std::string>{"en", "zh"});
  REQUIRE(course.steps.size() == 2);
  CHECK(course.questions() == 2);
  const LessonStep& first = course.steps[0];
  CHECK(first.title.at("en") == "The future is hidden");
  CHECK(has(first.prose("en"), "its weights give it 1.00. A blank line"));
  CHECK(first.prose("zh") == "第一个词只看得到自己，所以权重给它 1.00。");
  CHECK(first.notes.contains("zh"));
  CHECK(first.pose.scenario.mask == "causal()");
  CHECK(first.question->kind == QuestionKind::number);
  const LessonStep& second = course.steps[1];
  CHECK(second.pose.level == Level::operation);
  CHECK(second.pose.controls == std::vector<std::string>{"scale"});
  CHECK(second.pose.locked);
  CHECK(second.question->right == 1);
  CHECK(second.question->choices[0].at("zh") == "各行更平。");
  CHECK(second.question->why.at("zh") == "数越大，softmax 越接近只取最大的那个。");
  CHECK(open_source(example).title.at("zh") == "猫看哪里");
  CHECK(open_source(example).course == example);
}

TEST_CASE("mistakes in a Markdown lesson are named with their path and line") {
  CHECK(one_says(mistakes("stage: weights", "stage: weigths"), "line 18: $.steps[0].pose.stage"));
  CHECK(one_says(mistakes("= 1.00", "= 0.99"), "line 22: $.steps[0].claims.w: \"0.99\" is said"));
  CHECK(one_says(mistakes("select: weights:0,0,0,0", "select: weights:0,9,0,0"), "line 19: $.steps[0].pose.select"));
  CHECK(one_says(mistakes("### number", "### riddle"), "$.steps[0].question.kind"));
  CHECK(one_says(mistakes("take: count", "take: pick"), "line 31: $.steps[0].question.take"));
  CHECK(one_says(mistakes("controls: [\"scale\"]", "controls: [\"volume\"]"), "$.steps[1].pose.controls[0]"));
  CHECK(one_says(mistakes("scenario.heads: 2", "scenario.heads: 3"), "does not compute"));
  CHECK(one_says(mistakes("---\nid", "id"), "line 1 does not begin a lesson"));
  CHECK(one_says(mistakes("title: Where the cat looks", "Where the cat looks"), "is no field; expected name: value"));
  CHECK(one_says(mistakes("level: operation\nstage: weights", "level: operation\nstage: Q_rotated"),
                 "this scenario has no Q_rotated"));
  CHECK(mistakes("stage: weights", "stage: weigths").size() == 1);
}

TEST_CASE("a field named steps is refused with its line") {
  for (const char* const field : {"steps: 2", "steps.one: 2"}) {
    try {
      lesson_from_markdown("---\nid: a\n" + std::string(field) + "\n---\n\n## One\n", "x.md");
      FAIL(field);
    } catch (const FileError& error) {
      CHECK(has(error.what(), "x.md: line 3: \"" + std::string(field) + "\" is no field of a lesson"));
    }
  }
}

TEST_CASE("random Markdown is read or refused, and never crashes") {
  const std::string whole = read_text(example);
  unsigned seed = 1;
  const auto next = [&](std::size_t below) {
    return static_cast<std::size_t>(seed = seed * 1664525u + 1013904223u) % below;
  };
  for (int i = 0; i < 300; ++i) {
    std::string text = whole;
    for (int cut = 0; cut < 3; ++cut) {
      const std::size_t at = next(text.size());
      next(2) == 0 ? text.erase(at, next(40)) : text.insert(at, text.substr(next(text.size()), next(20)));
    }
    try {
      lesson_from_markdown(text, "x.md");
    } catch (const FileError& error) { CHECK(has(error.what(), "x.md: line ")); }
  }
}
