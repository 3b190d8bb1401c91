// The SceneContext of a frame.
#pragma once

#include "ui/frame/frame.h"
#include "ui/level/scene.h"

namespace headlight {

inline SceneContext scene_context(const Frame& frame) {
  return {*frame.trace(), frame.view(), frame.look, frame.fonts, frame.words, frame.u, ImGui::GetIO().DisplaySize};
}

}  // namespace headlight
