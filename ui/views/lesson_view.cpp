// The lessons that ship with the program: a click opens one in the pipeline.
#include <algorithm>

#include "ui/imgui_compat.h"
#include "ui/pictures.h"
#include "ui/views/registry.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

void open_lesson(const Frame& frame, const Lesson& lesson) {
  View view = frame.view();
  view.kind = ViewKind::pipeline;
  frame.change(std::move(view));
  frame.actions.push_back(OpenFile{"lesson:" + lesson.id});
}

/// A card with the title and the story; gives whether it was clicked.
bool lesson_card(const Frame& frame, const Lesson& lesson, ImVec2 at, ImVec2 size) {
  const float u = frame.u;
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(lesson.id.c_str(), size);
  const bool open = frame.document.lesson.id == lesson.id;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  const bool hovered = ImGui::IsItemHovered();
  list.AddRectFilled(at, end, frame.look.card, 9 * u);
  compat::add_rect(list, at, end, open || hovered ? frame.look.accent : frame.look.line, 9 * u, open ? 2 * u : 1);
  list.PushClipRect(at, end, true);
  draw_text(list, frame.fonts, Face::bold, 13 * u, {at.x + 14 * u, at.y + 12 * u}, frame.look.ink,
            in_language(lesson.title, frame.words.language()));
  const std::string& story = in_language(lesson.description, frame.words.language());
  ImFont* font = frame.fonts.pick(Face::ui, 13 * u);
  list.AddText(font, frame.fonts.crisp(Face::ui, 13 * u), {at.x + 14 * u, at.y + 36 * u}, frame.look.muted, story.data(),
               story.data() + story.size(), size.x - 28 * u);
  list.PopClipRect();
  return clicked;
}

}  // namespace

void draw_lesson_view(const Frame& frame, Rect place) {
  const float u = frame.u;
  const float gap = 14 * u;
  const std::vector<Lesson>& lessons = shown_lessons(frame.pictures);
  const int columns = std::clamp(static_cast<int>(place.width() / (330 * u)), 1, 3);
  const float width = (place.width() - gap * static_cast<float>(columns + 1)) / static_cast<float>(columns);
  const float height = (columns == 1 ? 104 : 128) * u;
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    const auto column = static_cast<float>(i % static_cast<std::size_t>(columns));
    const auto row = static_cast<float>(i / static_cast<std::size_t>(columns));
    const ImVec2 at{place.min.x + gap + column * (width + gap), place.min.y + gap + row * (height + gap) - ImGui::GetScrollY()};
    if (lesson_card(frame, lessons[i], at, {width, height})) open_lesson(frame, lessons[i]);
  }
}

}  // namespace headlight
