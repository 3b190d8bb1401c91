#include "ui/widgets/choice_box.h"

#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/widgets/pressable.h"

namespace headlight {

std::optional<int> choice_box(const Frame& frame, const char* id, int count, int chosen,
                              const std::function<const char*(int)>& name_of) {
  std::optional<int> clicked;
  compat::push_font(frame.fonts.pick(Face::ui, TypeSize::body * frame.u), 13 * frame.u);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (ImGui::BeginCombo(id, chosen >= 0 && chosen < count ? name_of(chosen) : "", ImGuiComboFlags_HeightLarge)) {
    for (int i = 0; i < count; ++i) {
      ImGui::PushID(i);
      if (ImGui::Selectable(name_of(i), i == chosen)) clicked = i;
      if (i == chosen) ImGui::SetItemDefaultFocus();
      ImGui::PopID();
    }
    ImGui::EndCombo();
  } else if (takes_keyboard(frame)) {
    const int next = chosen + (compat::pressed(compat::Key::down) ? 1 : 0) - (compat::pressed(compat::Key::up) ? 1 : 0);
    if (next != chosen && next >= 0 && next < count) clicked = next;
  }
  ImGui::PopFont();
  return clicked;
}

}  // namespace headlight
