#include "ui/widgets/main_button.h"

#include "ui/look/measure.h"
#include "ui/widgets/pressable.h"

namespace headlight {

float button_width(const Frame& frame, const char* label) {
  return text_size(frame.fonts, Face::bold, TypeSize::note * frame.u, label).x + 32 * frame.u;
}

bool main_button(const Frame& frame, const char* id, const char* label, bool enabled) {
  const float size = TypeSize::note * frame.u;
  const ImVec2 text = text_size(frame.fonts, Face::bold, size, label);
  const ImVec2 extent{button_width(frame, label), 26 * frame.u};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = pressable(frame, id, extent, enabled);
  const ImU32 ground = fade(frame.look.accent, !enabled ? 0.35f : ImGui::IsItemHovered() ? 0.85f : 1);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + extent.x, at.y + extent.y}, ground, Corner::control * frame.u);
  draw_text(list, frame.fonts, Face::bold, size, {at.x + (extent.x - text.x) / 2, at.y + (extent.y - text.y) / 2},
            frame.look.card, label);
  return clicked;
}

}  // namespace headlight
