// What the pointer does on a scene: the half of a view's drawing that is the same for all.
#pragma once

#include <initializer_list>
#include <optional>

#include "ui/base/frame/frame.h"
#include "ui/parts/scene/scene.h"

namespace headlight {

struct ScenePointer {
  const SceneTarget* target = nullptr;  ///< under the pointer
  std::optional<Cell> cell;             ///< of the heatmap under the pointer
  bool over = false;                    ///< the pointer is on the surface, and nothing is above it
  bool held = false;                    ///< pressed here, and not yet released
  bool clicked = false;                 ///< released, without dragging
  SceneControls controls;               ///< of the lowest scene; they get the pointer before its other targets
};

/// Creates the surface of scenes, which is then ImGui's last item. A hand says that a target can be clicked; not for
/// targets with one of `only_shown`. Fields come before it, or they would not get the pointer; the
/// controls of the lowest scene are created here, for the same reason.
ScenePointer point_at(const Frame& frame, const char* surface, Rect place, SceneLayers layers,
                      std::initializer_list<SceneAction> only_shown = {});
/// The target on which the button was pressed, as it was then: a drag goes on when the scene changes under it. Null if
/// there was none.
const SceneTarget* pressed_target(const Frame& frame);
/// Says that the pointer is on this cell, which has its menu.
void hover(const Frame& frame, const std::optional<Cell>& cell);
void hover_or_select(const Frame& frame, const std::optional<Cell>& cell, bool clicked);

}  // namespace headlight
