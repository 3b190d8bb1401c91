// The panels of the window, one a file, listed here once: what the session draws and what the smoke test opens.
#pragma once

#include <array>

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

struct Panel {
  const char* name;
  /// Where it stands in a window of this size.
  Rect (*place)(const Frame& frame, ImVec2 window);
  void (*draw)(const Frame& frame, Rect place);
};

std::span<const Panel> all_panels();

// The edges that panels share, in pixels.
float top_height(const Frame& frame);
float left_width(const Frame& frame, ImVec2 window);
float right_width(const Frame& frame, ImVec2 window);
float bottom_height(const Frame& frame);
float watch_height(const Frame& frame);  ///< of its part of the bottom; 0 where no running model is shown

// ui/panels/top_bar.cpp, controls.cpp, canvas.cpp, inspector.cpp, player_bar.cpp, watch_bar.cpp, messages.cpp, help.cpp
void draw_top_bar(const Frame& frame, Rect place);
void draw_controls(const Frame& frame, Rect place);
void draw_canvas(const Frame& frame, Rect place);
void draw_inspector(const Frame& frame, Rect place);
void draw_player_bar(const Frame& frame, Rect place);
void draw_watch_bar(const Frame& frame, Rect place);
void draw_messages(const Frame& frame, Rect place);
/// What an error takes of the foot of `place`, so that it lies over nothing; 0 without one.
float error_height(const Frame& frame, Rect place);
void draw_help(const Frame& frame, Rect place);
void draw_welcome(const Frame& frame, Rect place);
// ui/panels/export_dialog.cpp, save_dialog.cpp
void draw_export_dialog(const Frame& frame, Rect place);
void draw_save_dialog(const Frame& frame, Rect place);
void draw_leave_dialog(const Frame& frame, Rect place);

}  // namespace headlight
