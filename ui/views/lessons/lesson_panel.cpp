#include "ui/views/lessons/lesson_panel.h"

#include <algorithm>

#include "core/compute/engine/learning.h"
#include "ui/base/look/measure.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/lessons/panel_column.h"

namespace headlight {
namespace {

/// The settings that the step allows to change.
void draw_controls_of(const Frame& frame, PanelColumn& column, DrawControl draw_control) {
  const LessonProgress& now = frame.view().lesson;
  for (const std::string& key : now.controls) {
    column.begin_control();
    draw_control(frame, key);
    column.space(8);
  }
  if (!now.locked) return;
  column.paragraph(Face::ui, TypeSize::body, frame.look.muted,
                   frame.words(now.controls.empty() ? "lesson.all_locked" : "lesson.others_locked"));
  column.space(8);
}

/// If the picture shows other words than the step's text is about, or has other settings, says so and offers to restore
/// them.
void draw_other_settings(const Frame& frame, const LessonStep& step, std::size_t number, PanelColumn& column) {
  const Scenario& now = frame.document.scenario;
  const Scenario& its = step.pose.scenario;
  if (now == its || is_same_run(now.file, its.file)) return;  // a run is at whatever step the reader looks at
  const bool same_words = now.source == its.source && now.text == its.text && now.file == its.file;
  const char* const story = !same_words           ? "lesson.other_words"
                            : step.claims.empty() ? "lesson.other_settings"
                                                  : "lesson.live_numbers";
  column.paragraph(Face::ui, TypeSize::large, same_words ? frame.look.muted : frame.look.warning, frame.words(story));
  column.space(6);
  column.begin_control();
  if (chip(frame, "its_words", frame.words(same_words ? "lesson.its_settings" : "lesson.its_words"), false))
    frame.actions.push_back(GoToStep{number});
  column.space(14);
}

/// A chip for each change that the step offers; pressed again, it takes the change back.
void draw_tries(const Frame& frame, const LessonStep& step, PanelColumn& column) {
  if (step.pose.tries.empty()) return;
  column.begin_chips();
  for (std::size_t i = 0; i < step.pose.tries.size(); ++i) {
    const Try& offered = step.pose.tries[i];
    const bool lit = frame.document.scenario == offered.scenario;
    if (column.next_chip(("try" + std::to_string(i)).c_str(), in_language(offered.words, frame.words.language()), lit))
      frame.edit({}, [next = lit ? step.pose.scenario : offered.scenario](Scenario& s) { s = next; });
  }
  column.end_chips();
}

/// Back and Next, at the same place in every step; after the last step, a link to all lessons.
void draw_steps(const Frame& frame, const Course& course, std::size_t number, Rect place) {
  const PanelArea area(frame, "lesson_steps", place.min, place.max, frame.look.panel, {panel_inset, Space::apart});
  ImGui::GetWindowDrawList()->AddLine({place.max.x - 1, place.min.y}, {place.max.x - 1, place.max.y}, frame.look.line);
  ImGui::GetWindowDrawList()->AddLine(place.min, {place.max.x, place.min.y}, frame.look.line);
  const float x = place.min.x + panel_inset * frame.u, y = place.min.y + Space::apart * frame.u;
  ImGui::SetCursorScreenPos({x, y});
  const float back = chip_width(frame, frame.words("lesson.back")) + Space::apart * frame.u;
  if (number > 0 && chip(frame, "back", frame.words("lesson.back"), false, back))
    frame.actions.push_back(GoToStep{number - 1});
  ImGui::SetCursorScreenPos({x + back + Space::gap * frame.u, y});
  if (number + 1 < course.steps.size()) {
    if (main_button(frame, "next", frame.words("lesson.next"))) frame.actions.push_back(GoToStep{number + 1});
  } else if (main_button(frame, "all", frame.words("lesson.all"))) {
    frame.show([](View& v) { v.kind = ViewKind::lesson; });
  }
}

void draw_ways_on(const Frame& frame, const Course& course, std::size_t number, PanelColumn& column) {
  column.begin_control();
  bool begun = false;
  const auto way = [&](const char* id, const char* words, bool chosen) {
    if (begun) ImGui::SameLine();
    begun = true;
    return chip(frame, id, frame.words(words), chosen);
  };
  if (number + 1 < course.steps.size() && way("all", "lesson.all", false))
    frame.show([](View& v) { v.kind = ViewKind::lesson; });
  if (frame.view().lesson.furthest > 0 && way("anew", "lesson.anew", false)) frame.actions.push_back(ResetLessons{});
  if (!course.steps[number].notes.empty() && way("notes", "lesson.notes", frame.view().lesson.notes))
    frame.show([](View& v) { v.lesson.notes = !v.lesson.notes; });
  if (begun) column.space(8);
  column.begin_control();
  if (chip(frame, "save_answers", frame.words("lesson.save_answers"), frame.view().saving_answers.has_value()))
    toggle_saving_answers(frame);
  if (frame.view().saving_answers) {
    column.space(8);
    draw_saving_answers(frame, ImGui::GetCursorScreenPos(), column.width());
  }
}

}  // namespace

const Course* open_course(const Document& document, Pictures& pictures) {
  const std::string& file = document.origin.lesson.course;
  if (file.empty()) return nullptr;
  return &pictures.kept([&] { return read_course(file); }, file, document.origin.opening);
}

std::string course_text(const Course& course, const std::string& language) {
  std::string all = in_language(course.card.title, language) + "✓·";
  for (const LessonStep& step : course.steps) {
    all += in_language(step.title, language) + step.prose(language) + in_language(step.notes, language);
    for (const Try& offered : step.pose.tries) all += in_language(offered.words, language);
    if (!step.question) continue;
    all += in_language(step.question->ask, language) + in_language(step.question->why, language) + step.question->mask;
    for (const Texts& choice : step.question->choices) all += in_language(choice, language);
  }
  if (course.bug) {
    for (const auto* lines : {&course.bug->code, &course.bug->mended}) {
      for (const std::string& line : *lines) all += line;
    }
  }
  return all;
}

void draw_lesson_panel(const Frame& frame, const Course& course, Rect place, DrawControl draw_control) {
  const Rect steps{{place.min.x, place.max.y - (Space::apart + ControlHeight::chip + Space::apart) * frame.u},
                   place.max};
  draw_steps(frame, course, std::min(frame.view().lesson.step, course.steps.size() - 1), steps);
  place.max.y = steps.min.y;
  const PanelArea area(frame, "lesson", place.min, place.max, frame.look.panel, {panel_inset, Space::row},
                       PanelArea::Kind::scrolling);
  ImGui::GetWindowDrawList()->AddLine({place.max.x - 1, place.min.y}, {place.max.x - 1, place.max.y}, frame.look.line);
  const std::size_t number = std::min(frame.view().lesson.step, course.steps.size() - 1);
  const LessonStep& step = course.steps[number];
  const std::string& language = frame.words.language();
  PanelColumn column(frame, place);
  column.paragraph(Face::bold, TypeSize::body, frame.look.muted,
                   frame.words.fill("lesson.step", {number + 1, course.steps.size()}));
  column.space(8);
  if (const auto clicked = column.dashes(number, course)) frame.actions.push_back(GoToStep{*clicked});
  column.space(14);
  const std::string &lesson = in_language(course.card.title, language), &own = in_language(step.title, language);
  if (!own.empty()) {
    column.paragraph(Face::ui, TypeSize::body, frame.look.muted, lesson);
    column.space(4);
  }
  column.paragraph(Face::bold, TypeSize::title, frame.look.ink, own.empty() ? lesson : own);
  column.space(12);
  const ProsePointed pointed = column.prose(step, TypeSize::heading);
  frame.point(&Pointed::in_text, pointed.stage);
  if (pointed.cell && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && frame.trace() &&
      frame.trace()->has(pointed.cell->stage)) {
    frame.show([cell = *pointed.cell](View& v) {
      v.selected = cell;
      v.batch = cell.batch;
      v.head = cell.head;
      v.path.clear();
    });
  }
  column.space(14);
  draw_tries(frame, step, column);
  draw_other_settings(frame, step, number, column);
  draw_controls_of(frame, column, draw_control);
  if (step.question) draw_question(frame, *step.question, column);
  column.space(8);
  if (!frame.view().presenting) draw_ways_on(frame, course, number, column);
  column.space(24);
}

}  // namespace headlight
