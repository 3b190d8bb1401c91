#include "ui/document/lesson_progress.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/lesson/course.h"
#include "ui/document/action.h"

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

ViewKind kind_of(const std::string& view) {
  return view == "heads" ? ViewKind::heads : view == "mask" ? ViewKind::mask : view == "compare" ? ViewKind::compare : ViewKind::pipeline;
}

}  // namespace

View posed(View view, const LessonStep& step, std::size_t number) {
  view.kind = kind_of(step.pose.view);
  view.selected = step.pose.select ? cell_of(*step.pose.select) : std::nullopt;
  view.looked = true;
  if (view.selected) {
    view.batch = view.selected->batch;
    view.head = view.selected->head;
  }
  view.path.clear();
  view.hovered.reset();
  view.step = step.pose.step;
  view.playing = false;
  view.lesson = {};
  view.lesson.step = number;
  if (step.question) view.lesson.hidden = step.pose.hide;
  return view;
}

void show_step(Document& document, const Course& course, std::size_t step) {
  if (course.steps.empty()) return;
  step = std::min(step, course.steps.size() - 1);
  const LessonStep& shown = course.steps[step];
  if (!(shown.pose.scenario == document.scenario)) apply(document, EditScenario{[&](Scenario& s) { s = shown.pose.scenario; }, {}});
  document.view = posed(std::move(document.view), shown, step);
}

void begin_lesson(Document& document, std::size_t step) {
  const std::string& file = document.origin.lesson.course;
  if (!file.empty()) show_step(document, read_course(file), step);
}

}  // namespace headlight
