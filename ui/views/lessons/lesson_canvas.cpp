#include "ui/views/lessons/lesson_canvas.h"

#include <algorithm>

#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/views/pipeline/pipeline_scene.h"

namespace headlight {
namespace {

// In points: around the speaker's notes, the words over a veiled canvas, and the ring around a card.
constexpr float around_notes = 46, veil_points = 17, veil_margin = 30;
constexpr float ring_corner = 11, ring_thick = 2.5f, ring_pointed = 4;

const LessonStep& step_of(const Frame& frame, const Course& course) {
  return course.steps[std::min(frame.view().lesson.step, course.steps.size() - 1)];
}

const std::string& notes_of(const Frame& frame, const Course& course) {
  return in_language(step_of(frame, course).notes, frame.words.language());
}

constexpr float notes_points = TypeSize::story, notes_inset = 20;

float notes_height(const Frame& frame, const Course& course, float width) {
  if (!frame.view().lesson.notes || notes_of(frame, course).empty()) return 0;
  const float u = frame.u;
  return draw_paragraph(nullptr, frame.fonts, Face::ui, notes_points * u, {}, 0, notes_of(frame, course),
                        width - 2 * notes_inset * u) +
         around_notes * u;
}

void draw_veil(const Frame& frame, Rect place) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u, pixels = veil_points * u;
  const char* words = frame.words("lesson.veil");
  const float width =
      std::min(text_size(frame.fonts, Face::ui, pixels, words).x + 2, place.width() - 2 * veil_margin * u);
  draw_paragraph(&list, frame.fonts, Face::ui, pixels, {place.centre().x - width / 2, place.centre().y - pixels},
                 frame.look.muted, words, width);
}

}  // namespace

Rect above_notes(const Frame& frame, const Course& course, Rect place) {
  place.max.y -= std::min(notes_height(frame, course, place.width()), 0.5f * place.height());
  return place;
}

bool draw_in_views_stead(const Frame& frame, const Course& course, Rect place, bool covered) {
  const LessonStep& step = step_of(frame, course);
  const bool posed = frame.document.scenario == step.pose.scenario && is_current(frame.document);
  if (step.question && posed) {
    const Question& question = *step.question;
    if (question.kind == QuestionKind::row) {
      draw_row_question(frame, question, place);
      return true;
    }
    if (question.kind == QuestionKind::mask && can_be_painted(*frame.trace())) {
      draw_mask_question(frame, question, place);
      return true;
    }
  }
  if (!covered) return false;
  draw_veil(frame, place);
  return true;
}

bool asks_in_canvas(const Frame& frame) {
  const Course* course = open_course(frame.document, frame.pictures);
  if (!course || !frame.trace() || frame.view().kind == ViewKind::lesson) return false;
  const auto& question = step_of(frame, *course).question;
  return question && (question->kind == QuestionKind::row ||
                      (question->kind == QuestionKind::mask && can_be_painted(*frame.trace())));
}

void draw_ring(const Frame& frame, Rect place) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  const std::optional<Stage>&pointed = frame.view().pointed.in_text,
        &stage = pointed ? pointed : frame.view().lesson.stage_shown;
  if (!stage || frame.view().kind != ViewKind::pipeline || level_shown(frame.view()) != Level::pipeline ||
      !frame.trace()->has(*stage))
    return;
  const Rect card = card_on_screen(frame, room_of_cards(frame.view(), place), *stage),
             ring = card.grown(Space::thin * u);
  if (card.width() >= place.width() || card.height() >= place.height()) return;
  list.PushClipRect(place.min, place.max, true);
  compat::add_rect(list, ring.min, ring.max, frame.look.lane(*stage), ring_corner * u,
                   (pointed ? ring_pointed : ring_thick) * u);
  list.PopClipRect();
}

void draw_notes(const Frame& frame, const Course& course, Rect place, Rect whole) {
  if (place.max.y >= whole.max.y) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  const Rect notes{{whole.min.x, place.max.y}, whole.max};
  list.AddRectFilled(notes.min, notes.max, frame.look.panel);
  list.AddLine(notes.min, {notes.max.x, notes.min.y}, frame.look.line, u);
  const ImVec2 at{notes.min.x + notes_inset * u, notes.min.y + Space::pad * u};
  frame.write(Face::bold, TypeSize::body, at, frame.look.muted, frame.words("lesson.notes_title"));
  draw_paragraph(&list, frame.fonts, Face::ui, notes_points * u, {at.x, at.y + Space::wide * u}, frame.look.ink,
                 notes_of(frame, course), notes.width() - 2 * notes_inset * u);
}

bool is_hidden(const View& view, Stage stage) {
  return std::ranges::find(view.lesson.hidden, stage) != view.lesson.hidden.end();
}

bool hides_what_is_taken(const Document& document, const Action& action) {
  const View& view = document.view;
  if (view.lesson.hidden.empty()) return false;
  if (const auto* take = std::get_if<TakeMatrix>(&action)) return is_hidden(view, take->cell.stage);
  if (std::holds_alternative<TakeMask>(action)) return is_hidden(view, Stage::mask);
  if (std::holds_alternative<Pin>(action) || std::holds_alternative<CopyCommand>(action)) return true;
  return std::holds_alternative<Export>(action) && view.exporting.kind < ExportKind::window;
}

}  // namespace headlight
