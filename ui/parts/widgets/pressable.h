// An area that is pressed by the mouse, or by Enter and Space when it has the keyboard.
#pragma once

#include "ui/base/frame/frame.h"

namespace headlight {

/// An invisible item at the cursor; returns whether it was pressed. ImGui::IsItemHovered() and the like refer to it. A
/// disabled one takes mouse clicks and ignores them.
bool pressable(const Frame& frame, const char* id, ImVec2 size, bool enabled = true);
/// The same for the mouse only. The item is at least a pixel wide and high, since ImGui refuses an empty one.
bool clickable(const char* id, ImVec2 size);
/// Both of them at a place of the window.
bool pressable(const Frame& frame, const char* id, const Rect& place, bool enabled = true);
bool clickable(const char* id, const Rect& place);
/// Makes the last item reachable by Tab; returns whether it has the keyboard, in which case it gets a ring and is
/// scrolled into view.
bool takes_keyboard(const Frame& frame);
/// Steps by which the arrow keys move the focused control, right and up being positive; a large number for Home and
/// End.
int keyboard_steps();

/// Draws the ring around the focused control; call after everything else.
void draw_keyboard_ring(const Frame& frame);

/// The width in pixels of main_button(), and of a chip beside it.
float button_width(const Frame& frame, const char* label);
/// A filled button, for the main action.
bool main_button(const Frame& frame, const char* id, const char* label, bool enabled = true);

}  // namespace headlight
