// Distinguishes a click from a drag, in the same way for every view.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// The distance in pixels that the pointer may move during a click.
inline float click_slack(const Frame& frame) { return 6 * frame.u; }

/// Whether the current press, or the one released in this frame, moved too far for a click.
inline bool was_dragged(const Frame& frame) {
  return ImGui::GetIO().MouseDragMaxDistanceSqr[0] > click_slack(frame) * click_slack(frame);
}
/// Whether the left button is held and the pointer has moved.
inline bool is_dragging(const Frame& frame) { return ImGui::IsMouseDown(ImGuiMouseButton_Left) && was_dragged(frame); }

}  // namespace headlight
