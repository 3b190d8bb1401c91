// A line that is typed into, as long as it needs to be: what fields, sliders and paths are made of.
#pragma once

#include <string>
#include <string_view>

#include "ui/frame/frame.h"

namespace headlight {

/// The field that is drawn next gets the keyboard.
void type_in_next_field();

struct Typed {
  const std::string& text;  ///< as it stands; until the next field is drawn
  bool changed = false;     ///< by a key, since the last frame
  bool entered = false;     ///< Enter
  bool left = false;        ///< it has the keyboard no more, by whatever but Esc; `text` is what was typed
  bool active = false;      ///< it has the keyboard
};

/// In the current font and item width. `listen` as for ImGui::InputText, with the flags that it asks for. Tab comes to
/// it where it is a `stop`; else only what gives it the keyboard.
Typed text_input(const Frame& frame, const char* id, std::string_view text, const char* hint = "",
                 ImGuiInputTextFlags flags = 0, ImGuiInputTextCallback listen = nullptr, void* listener = nullptr,
                 bool stop = true);

}  // namespace headlight
