#include "ui/session/lesson_desk.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text/utf8_path.h"
#include "ui/lessons/lesson_canvas.h"
#include "ui/lessons/lesson_panel.h"
#include "ui/lessons/lesson_picture.h"

namespace headlight {
bool lesson_refuses(Document& document, const Words& words, const Action& action) {
  if (!hides_what_is_taken(document, action)) return false;
  document.error = words("lesson.hidden");
  return true;
}

void LessonDesk::remember_in(const std::filesystem::path& folder) { memory_ = std::make_unique<LessonMemory>(folder); }

void LessonDesk::keep(Document& document) {
  if (memory_) document.standings = memory_->keep(document);
}

void LessonDesk::recall(Document& document, bool step_said) const {
  if (!memory_ || document.origin.lesson.course.empty()) return;
  LessonProgress progress = memory_->recall(document.origin.lesson.id);
  const std::size_t step = step_said ? document.view.lesson.step : progress.step;
  begin_lesson(document, step, std::move(progress));
}

void LessonDesk::rejoin(Document& document) const {
  const Lesson& lesson = document.origin.lesson;
  if (memory_ && !lesson.course.empty())
    document.view.lesson = with_answers_of(std::move(document.view.lesson), memory_->recall(lesson.id));
}

void LessonDesk::go_to_step(Document& document, Pictures& pictures, std::size_t step) const {
  if (const Course* course = open_course(document, pictures)) show_step(document, *course, step);
}

void LessonDesk::reset(Document& document, Pictures& pictures, const Words& words, bool all) {
  if (memory_) memory_->forget(all ? std::string() : document.origin.lesson.id);
  const std::size_t step = all ? document.view.lesson.step : 0;
  document.view.lesson = {};
  if (!document.origin.lesson.course.empty()) go_to_step(document, pictures, step);
  document.notice = words(all ? "lesson.forgotten_all" : "lesson.forgotten");
}

void LessonDesk::save_answers(Document& document, const Words& words, const std::string& path) const {
  LessonAnswers answers;
  if (memory_) answers.lessons = memory_->recall_all();
  const Lesson& lesson = document.origin.lesson;
  if (!lesson.course.empty()) {
    answers.lessons[lesson.id] = document.view.lesson;
    answers.open = lesson.id;
    answers.file = utf8_from(std::filesystem::absolute(path_from(lesson.course)));
  }
  write_answers(path, answers);
  document.view.saving_answers.reset();
  document.notice = words.fill("lesson.answers_saved", {path});
}

void LessonDesk::open_answers(Document& document, Opener& opener, Pictures& pictures, const Words& words,
                              const std::string& path) {
  const LessonAnswers answers = read_answers(path);
  if (memory_) {
    for (const auto& [lesson, progress] : answers.lessons) memory_->put(lesson, progress);
    keep(document);
  }
  if (!answers.open.empty()) {
    const std::vector<Lesson>& known = shown_lessons(pictures);
    const bool ships = std::ranges::any_of(known, [&](const Lesson& lesson) { return lesson.id == answers.open; });
    opener.open(document, ships ? "lesson:" + answers.open : answers.file, true);
    if (document.origin.lesson.id == answers.open) {
      LessonProgress progress = answers.lessons.at(answers.open);
      const std::size_t step = progress.step;
      begin_lesson(document, step, std::move(progress));
    }
  }
  document.view.kind = answers.open.empty() ? ViewKind::lesson : document.view.kind;
  document.notice = words.fill("lesson.answers_opened", {file_name_of(path), std::to_string(answers.lessons.size())});
}

}  // namespace headlight
