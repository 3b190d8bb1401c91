#include "ui/document/lesson_progress.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/lesson/course.h"
#include "ui/document/action.h"
#include "ui/document/saved_view.h"

namespace headlight {
namespace {

/// "weights:0,0,2,1", as the check of lesson files has already read it.
std::optional<Cell> cell_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto stage = stage_named(text.substr(0, colon));
  if (!stage || colon == std::string::npos) return {};
  std::array<Index, 4> at{};
  const char* from = text.data() + colon + 1;
  const char* end = text.data() + text.size();
  for (Index& index : at) {
    const auto [to, error] = std::from_chars(from, end, index);
    if (error != std::errc()) return {};
    from = to + (to == end ? 0 : 1);
  }
  return Cell{*stage, at[0], at[1], at[2], at[3]};
}

}  // namespace

const LessonAnswer* LessonProgress::answer(std::size_t of_step) const {
  if (of_step == step) return this;
  const auto found = answers.find(of_step);
  return found == answers.end() ? nullptr : &found->second;
}

View posed(View view, const LessonStep& step, std::size_t number) {
  const Pose& pose = step.pose;
  view = with_view(std::move(view), pose.view);
  view.looking.level = pose.level;
  if (pose.stage) view.looking.stage = *pose.stage;
  view.looking.share.reset();
  view.selected = pose.select ? cell_of(*pose.select) : std::nullopt;
  view.looked = true;
  view.camera = pose.camera;
  if (view.selected) {
    view.batch = view.selected->batch;
    view.head = view.selected->head;
  }
  view.looking.query = view.looking.key = view.looking.feature = std::nullopt;
  view.path.clear();
  view.hovered.reset();
  view.step = pose.step;
  view.playing = false;
  view.beside.reset();
  view.compared.reset();

  LessonProgress now;
  now.answers = std::move(view.lesson.answers);
  if (view.lesson.begun()) now.answers[view.lesson.step] = view.lesson;
  if (const auto known = now.answers.find(number); known != now.answers.end())
    static_cast<LessonAnswer&>(now) = known->second;
  now.answers.erase(number);
  now.step = number;
  now.furthest = std::max(view.lesson.furthest, number);
  now.notes = view.lesson.notes;
  if (step.question && !now.revealed) now.hidden = pose.hide;
  now.stage_shown = pose.stage;
  now.controls = pose.controls;
  now.locked = pose.locked;
  view.lesson = std::move(now);
  return view;
}

void show_step(Document& document, const Course& course, std::size_t step) {
  if (course.steps.empty()) return;
  step = std::min(step, course.steps.size() - 1);
  const LessonStep& shown = course.steps[step];
  if (!(shown.pose.scenario == document.scenario))
    apply(document, EditScenario{[&](Scenario& s) { s = shown.pose.scenario; }, {}});
  document.view = posed(std::move(document.view), shown, step);
  std::optional<OwnSource> own;
  if (course.bug) own = OwnSource{{}, course.bug->mistake, course.bug->variant, shown.pose.mended};
  if (own != document.own) {
    document.own = std::move(own);
    document.beside.reset();
  }
}

void begin_lesson(Document& document, std::size_t step, LessonProgress progress) {
  document.view.lesson = std::move(progress);
  const std::string& file = document.origin.lesson.course;
  if (!file.empty()) show_step(document, read_course(file), step);
}

}  // namespace headlight
