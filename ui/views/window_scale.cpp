#include "ui/views/window_scale.h"

#include <algorithm>
#include <cmath>

namespace headlight {

float room_scale(ImVec2 window, float scale) {
  const float fit = std::min(window.x / (1600 * scale), window.y / (900 * scale));
  return std::clamp(std::floor(fit * 8) / 8, 1.0f, 2.0f);
}

Frame scaled_to_window(const Frame& frame) {
  Frame grown = frame;
  if (!frame.view().presenting) grown.u *= room_scale(ImGui::GetIO().DisplaySize, frame.u);
  return grown;
}

}  // namespace headlight
