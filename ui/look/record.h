// Record: what was drawn, as plain data, for tests. It is attached to ImGui's context (ImGuiIO::UserData, otherwise
// unused); without one nothing is recorded.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "ui/look/fonts.h"

namespace headlight {

struct RecordedText {
  std::string text;
  ImVec2 min, max;            ///< on screen
  ImVec2 clip_min, clip_max;  ///< clip rectangle
  Face face{};
  float pixels = 0;  ///< font size
  ImU32 colour = 0;
  bool turned = false;  ///< `min` and `max` are those before the rotation
  float degrees = 0;    ///< about `pivot`, clockwise
  ImVec2 pivot{};
  const ImDrawList* list = nullptr;  ///< its glyphs are the indices [first, last) of this list
  int first = 0, last = 0;
};

struct Record {
  std::vector<RecordedText> texts;
  std::vector<std::vector<ImVec2>> lines;  ///< arrows, as polylines
};

/// The record of the current context; null if there is none.
inline Record* recording() { return static_cast<Record*>(ImGui::GetIO().UserData); }

}  // namespace headlight
