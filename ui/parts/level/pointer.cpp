#include "ui/parts/level/pointer.h"

#include <algorithm>

#include "ui/parts/matrix/matrix_menu.h"
#include "ui/parts/widgets/pressable.h"

namespace headlight {

ScenePointer point_at(const Frame& frame, const char* surface, Rect place, const Scene& scene,
                      std::initializer_list<SceneAction> only_shown) {
  clickable(surface, place);
  ScenePointer pointer;
  pointer.over = ImGui::IsItemHovered();
  pointer.held = ImGui::IsItemActive();
  pointer.clicked = ImGui::IsItemDeactivated() && !was_dragged(frame);
  if (!pointer.over) return pointer;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  pointer.target = target_at(scene, mouse);
  pointer.cell = cell_at(scene, mouse);
  if (pointer.target && pointer.target->action != SceneAction::none &&
      std::ranges::find(only_shown, pointer.target->action) == only_shown.end())
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return pointer;
}

const SceneTarget* pressed_target(const Scene& scene) { return target_at(scene, ImGui::GetIO().MouseClickedPos[0]); }

void hover(const Frame& frame, const std::optional<Cell>& cell) {
  if (cell != frame.view().hovered) frame.actions.push_back(Hover{cell});
  offer_matrix_menu(frame, cell);
}

void hover_or_select(const Frame& frame, const std::optional<Cell>& cell, bool clicked) {
  if (cell != frame.view().hovered) frame.actions.push_back(Hover{cell});
  if (clicked && cell) frame.show([cell](View& v) { v.selected = cell; });
}

}  // namespace headlight
