// The lessons that ship with the program: a click opens one in the pipeline.
#include <algorithm>

#include "ui/lessons/lesson_view.h"
#include "ui/frame/colormaps.h"
#include "ui/lessons/lesson_picture.h"
#include "ui/widgets/card.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/paragraph.h"

namespace headlight {
namespace {

void open_lesson(const Frame& frame, const Lesson& lesson) {
  frame.show([](View& v) { v.kind = ViewKind::pipeline; });
  frame.actions.push_back(OpenFile{"lesson:" + lesson.id});
}

/// In the middle of a square.
void draw_weights(const Frame& frame, const LessonTile& tile, ImVec2 at, float side) {
  MatrixQuad quad = tile.quad;
  const float cell = side / static_cast<float>(std::max(tile.rows, tile.cols));
  const ImVec2 size{cell * static_cast<float>(tile.cols), cell * static_cast<float>(tile.rows)};
  quad.min = {at.x + (side - size.x) / 2, at.y + (side - size.y) / 2};
  quad.max = {quad.min.x + size.x, quad.min.y + size.y};
  quad.colormap = &window_colormap(frame.view(), Stage::weights);
  quad.theme = frame.look.theme;
  quad.scale = frame.u;
  quad.cell_gap = cell >= 6 * frame.u ? frame.u : 0;
  frame.painter.draw(*ImGui::GetWindowDrawList(), quad);
}

/// A card with the title, the story and the weights; gives whether it was clicked.
bool lesson_card(const Frame& frame, const Lesson& lesson, const LessonTile& tile, ImVec2 at, ImVec2 size) {
  const float u = frame.u;
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(lesson.id.c_str(), size);
  const bool open = frame.document.origin.lesson.id == lesson.id;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  const bool hovered = ImGui::IsItemHovered();
  draw_card(frame, list, {at, end}, open || hovered ? frame.look.accent : frame.look.line, open ? 2 * u : 1);
  const float side = 84 * u;
  list.PushClipRect(at, end, true);
  draw_weights(frame, tile, {end.x - side - 16 * u, at.y + (size.y - side) / 2}, side);
  draw_text(list, frame.fonts, Face::bold, 13 * u, {at.x + 14 * u, at.y + 12 * u}, frame.look.ink,
            in_language(lesson.title, frame.words.language()));
  const std::string& story = in_language(lesson.description, frame.words.language());
  draw_paragraph(&list, frame.fonts, Face::ui, 13 * u, {at.x + 14 * u, at.y + 36 * u}, frame.look.muted, story, size.x - side - 46 * u);
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
  const float height = 160 * u;
  const std::vector<LessonTile>& tiles = lesson_tiles(frame.pictures);
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    const auto column = static_cast<float>(i % static_cast<std::size_t>(columns));
    const auto row = static_cast<float>(i / static_cast<std::size_t>(columns));
    const ImVec2 at{place.min.x + gap + column * (width + gap), place.min.y + gap + row * (height + gap) - ImGui::GetScrollY()};
    if (lesson_card(frame, lessons[i], tiles[i], at, {width, height})) open_lesson(frame, lessons[i]);
  }
}

}  // namespace headlight
