// The panels of the window, which the session draws and the smoke test opens. One per file.
#pragma once

#include <span>

#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"

namespace headlight {

struct Panel {
  const char* name;
  /// Its rectangle in a window of this size.
  Rect (*place)(const Frame& frame, ImVec2 window);
  void (*draw)(const Frame& frame, Rect place);
};

std::span<const Panel> all_panels();

float left_width(const Frame& frame, ImVec2 window);
float right_width(const Frame& frame, ImVec2 window);
float watch_height(const Frame& frame);  ///< of its part of the bottom; 0 where no running model is shown

// Each in the file of its name, draw_canvas() in registry.cpp and the three dialogs in export_dialog.cpp.
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
void draw_export_dialog(const Frame& frame, Rect place);
void draw_save_dialog(const Frame& frame, Rect place);
void draw_leave_dialog(const Frame& frame, Rect place);

/// Two blanks separate shortcuts; one blank separates keys that share the modifiers before them: "Alt+← →" is Alt+← and
/// Alt+→.
struct Shortcut {
  const char* keys;  ///< "": a heading
  const char* word;  ///< the translation's key
};
std::span<const Shortcut> all_shortcuts();

}  // namespace headlight
