// The easel of a frame.
#pragma once

#include "ui/frame/frame.h"
#include "ui/level/scene.h"

namespace headlight {

inline Easel easel_of(const Frame& frame) {
  return {*frame.trace(), frame.view(), frame.look, frame.fonts, frame.words, frame.u, ImGui::GetIO().DisplaySize};
}

/// Whether the button that was let go drew a line over the picture, and meant no click.
inline bool was_dragged(const Frame& frame) {
  constexpr float slack = 8;  // points that a click may tremble
  return frame.view().presenting && ImGui::GetIO().MouseDragMaxDistanceSqr[0] > slack * slack * frame.u * frame.u;
}

}  // namespace headlight
