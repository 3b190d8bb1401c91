#include "ui/base/document/lesson_progress.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/teaching/lesson/course.h"
#include "ui/base/document/action.h"
#include "ui/base/document/view.h"

namespace headlight {
namespace {

/// "weights:0,0,2,1", already checked when the lesson file was read.
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

/// Applies the pose of the step, and the stages of the lesson's mistake.
void pose_step(Document& document, const Course& course, std::size_t step) {
  const LessonStep& shown = course.steps[step];
  document.view = posed(std::move(document.view), shown, step);
  std::optional<OwnSource> own;
  if (course.bug) own = OwnSource{{}, course.bug->mistake, course.bug->variant, shown.pose.mended};
  if (own == document.own) return;
  document.own = std::move(own);
  document.own_compared.reset();
}

}  // namespace

std::map<std::size_t, LessonAnswer> all_answers(const LessonProgress& progress) {
  std::map<std::size_t, LessonAnswer> all = progress.answers;
  if (progress.begun()) all[progress.step] = progress;
  return all;
}

const LessonAnswer* LessonProgress::answer(std::size_t of_step) const {
  if (of_step == step) return this;
  const auto found = answers.find(of_step);
  return found == answers.end() ? nullptr : &found->second;
}

LessonProgress with_answers_of(LessonProgress progress, const LessonProgress& newer) {
  auto answers = all_answers(progress);
  for (const auto& [step, answer] : all_answers(newer)) answers[step] = answer;
  static_cast<LessonAnswer&>(progress) = {};
  if (const auto here = answers.find(progress.step); here != answers.end()) {
    static_cast<LessonAnswer&>(progress) = here->second;
    answers.erase(here);
  }
  if (progress.revealed) progress.hidden.clear();
  progress.answers = std::move(answers);
  progress.furthest = std::max(progress.furthest, newer.furthest);
  progress.notes = newer.notes;
  return progress;
}

LessonProgress at_step(LessonProgress progress, const LessonStep& step, std::size_t number) {
  LessonProgress now;
  now.step = number;
  now.furthest = number;
  now.hidden = step.question ? step.pose.hide : std::vector<Stage>();
  now.guesses_run = step.question && step.question->measure && step.question->measure->take == Taking::accuracy;
  now.stage_shown = step.pose.stage;
  now.controls = step.pose.controls;
  now.locked = step.pose.locked;
  return with_answers_of(std::move(now), progress);
}

View posed(View view, const LessonStep& step, std::size_t number) {
  const Pose& pose = step.pose;
  view = with_view_fields(std::move(view), pose.view);
  view.levels.level = pose.level;
  view.levels.facet = pose.facet;
  view.measure = pose.measure;
  if (pose.stage) view.levels.stage = *pose.stage;
  view.levels.progress.reset();
  view.selected = pose.select ? cell_of(*pose.select) : std::nullopt;
  view.looked = true;
  view.camera = pose.camera;
  if (view.selected) {
    view.batch = view.selected->batch;
    view.head = view.selected->head;
  }
  view.levels.query = view.levels.key = view.levels.feature = std::nullopt;
  view.levels.rival = view.levels.explained = view.levels.than = std::nullopt;
  view.path.clear();
  view.pointed.cell.reset();
  view.step = pose.step;
  view.playing = false;
  view.beside.reset();
  view.compared.reset();
  view.trail.clear();
  view.loss = pose.gradients ? std::optional<std::string>("") : std::nullopt;
  view.train.beside = pose.beside;
  view.train.until = 0;
  view.train.guess.reset();

  view.lesson = at_step(std::move(view.lesson), step, number);
  return view;
}

void show_step(Document& document, const Course& course, std::size_t step) {
  if (course.steps.empty()) return;
  step = std::min(step, course.steps.size() - 1);
  const LessonStep& shown = course.steps[step];
  const bool stays = document.view.lesson.step == step && document.scenario == shown.pose.scenario;
  if (!stays) keep_place(document);
  document.scenario = shown.pose.scenario;
  document.error.clear();
  pose_step(document, course, step);
}

void begin_lesson(Document& document, std::size_t step, LessonProgress progress) {
  document.view.lesson = std::move(progress);
  const std::string& file = document.origin.lesson.course;
  if (file.empty()) return;
  const Course course = read_course(file);
  if (course.steps.empty()) return;
  step = std::min(step, course.steps.size() - 1);
  document.scenario = course.steps[step].pose.scenario;
  pose_step(document, course, step);
}

}  // namespace headlight
