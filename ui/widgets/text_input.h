// A line of text input of any length; fields, sliders and paths are made of it.
#pragma once

#include <string>
#include <string_view>

#include "ui/frame/frame.h"

namespace headlight {

/// Gives the keyboard to the next field.
void type_in_next_field();
/// Gives it back, with this text and the cursor at its end, to the field that was just drawn and that Enter has left.
void go_on_typing(const Frame& frame, const char* id, std::string_view text);

struct Typed {
  const std::string& text;  ///< the current text; valid until the next field is drawn
  bool changed = false;     ///< by a key, since the last frame
  bool entered = false;     ///< Enter
  bool left = false;        ///< it lost the keyboard, but not by Esc; `text` is what was typed
  bool active = false;      ///< it has the keyboard
};

/// Uses the current font and item width. `listen` is called as by ImGui::InputText, with the flags that it needs. Tab
/// reaches it only if `stop`.
Typed text_input(const Frame& frame, const char* id, std::string_view text, const char* hint = "",
                 ImGuiInputTextFlags flags = 0, ImGuiInputTextCallback listen = nullptr, void* listener = nullptr,
                 bool stop = true);

}  // namespace headlight
