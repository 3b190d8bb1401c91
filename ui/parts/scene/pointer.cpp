#include "ui/parts/scene/pointer.h"

#include <algorithm>

#include "ui/parts/matrix/matrix_menu.h"
#include "ui/parts/widgets/pressable.h"

namespace headlight {
namespace {

struct PressedTarget {
  std::optional<SceneTarget> target;
  ImVec2 at{};  ///< of the press
};

ImVec2 pressed_at() { return ImGui::GetIO().MouseClickedPos[0]; }

}  // namespace

ScenePointer point_at(const Frame& frame, const char* surface, Rect place, SceneLayers layers,
                      std::initializer_list<SceneAction> only_shown) {
  ScenePointer pointer;
  pointer.controls = controls_of(frame, **layers.begin());
  clickable(surface, place);
  PressedTarget& pressed = frame.pictures.get<PressedTarget>([] { return PressedTarget{}; });
  if (ImGui::IsItemActivated()) {
    const SceneTarget* target = target_at(layers, pressed_at());
    pressed = {target ? std::optional(*target) : std::nullopt, pressed_at()};
  }
  pointer.over = ImGui::IsItemHovered();
  pointer.held = ImGui::IsItemActive();
  pointer.clicked = ImGui::IsItemDeactivated() && !was_dragged(frame);
  if (!pointer.over) return pointer;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  pointer.target = target_at(layers, mouse);
  pointer.cell = cell_at(**layers.begin(), mouse);
  if (pointer.target && pointer.target->action != SceneAction::none &&
      std::ranges::find(only_shown, pointer.target->action) == only_shown.end())
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return pointer;
}

const SceneTarget* pressed_target(const Frame& frame) {
  const auto* pressed = frame.pictures.find<PressedTarget>();
  const bool of_this_press =
      pressed && pressed->target && pressed->at.x == pressed_at().x && pressed->at.y == pressed_at().y;
  return of_this_press ? &*pressed->target : nullptr;
}

void hover(const Frame& frame, const std::optional<Cell>& cell) {
  frame.point(&Pointed::cell, cell);
  offer_matrix_menu(frame, cell);
}

void hover_or_select(const Frame& frame, const std::optional<Cell>& cell, bool clicked) {
  frame.point(&Pointed::cell, cell);
  if (clicked && cell) frame.show([cell](View& v) { v.selected = cell; });
}

}  // namespace headlight
