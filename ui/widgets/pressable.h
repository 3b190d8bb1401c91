// An area that is pressed: by the mouse, or by Enter and Space where Tab has brought the keyboard to it.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// An item without looks of its own, at the cursor; whether it was pressed. ImGui::IsItemHovered() and the like follow.
/// Disabled: it takes the mouse, and nothing comes of it.
bool pressable(const Frame& frame, const char* id, ImVec2 size, bool enabled = true);
/// Makes the last item one that Tab reaches; whether it has the keyboard. Then a ring is drawn around it, and it is
/// scrolled to.
bool takes_keyboard(const Frame& frame);
/// By how many steps the arrows move what has the keyboard: right and up forwards. With Home and End by a great many.
int keyboard_steps();

/// The ring around what has the keyboard; after everything else.
void draw_keyboard_ring(const Frame& frame);

}  // namespace headlight
