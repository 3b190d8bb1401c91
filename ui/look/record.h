// Record: what was drawn with, as plain data, for whoever wants to check a picture by more than its pixels.
//
// It hangs on ImGui's context (ImGuiIO::UserData), which nothing else here uses: without one nothing is kept.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "ui/look/fonts.h"

namespace headlight {

struct RecordedText {
  std::string text;
  ImVec2 min, max;            ///< on screen
  ImVec2 clip_min, clip_max;  ///< what of the screen it may show on
  Face face{};
  float pixels = 0;  ///< of type
  ImU32 colour = 0;
  bool turned = false;  ///< `min` and `max` are of before
  float degrees = 0;    ///< about `pivot`, clockwise
  ImVec2 pivot{};
  const ImDrawList* list = nullptr;  ///< its glyphs are indices [first, last) of this list
  int first = 0, last = 0;
};

struct Record {
  std::vector<RecordedText> texts;
  std::vector<std::vector<ImVec2>> lines;  ///< arrows, as points along them
};

/// The one that hangs on the current context; null where none does.
inline Record* recording() { return static_cast<Record*>(ImGui::GetIO().UserData); }

}  // namespace headlight
