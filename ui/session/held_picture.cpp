#include "ui/session/held_picture.h"

#include "ui/look/measure.h"

namespace headlight {

void draw_held_mark(const Frame& frame, ImVec2 window) {
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const float u = frame.u, pixels = TypeSize::large * u;
  const char* words = frame.words("level.held");
  const ImVec2 size = text_size(frame.fonts, Face::ui, pixels, words);
  const ImVec2 max{window.x - 12 * u, window.y - 12 * u}, min{max.x - size.x - 20 * u, max.y - size.y - 10 * u};
  list.AddRectFilled(min, max, frame.look.field, Corner::card * u);
  draw_text(list, frame.fonts, Face::ui, pixels, {min.x + 10 * u, min.y + 5 * u}, frame.look.muted, words);
}

}  // namespace headlight
