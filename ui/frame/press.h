// Click or drag: one rule for every view.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// How far a press may move, in pixels, and still be a click: a hand trembles.
inline float click_slack(const Frame& frame) { return 6 * frame.u; }

/// Whether the press that is held, or was let go in this frame, moved too far for a click.
inline bool was_dragged(const Frame& frame) {
  return ImGui::GetIO().MouseDragMaxDistanceSqr[0] > click_slack(frame) * click_slack(frame);
}
/// Whether the left button is held and the pointer moved with it.
inline bool is_dragging(const Frame& frame) { return ImGui::IsMouseDown(ImGuiMouseButton_Left) && was_dragged(frame); }

}  // namespace headlight
