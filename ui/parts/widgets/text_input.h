// A line of text input of any length; fields, sliders and paths are made of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ui/base/frame/frame.h"

namespace headlight {

/// Gives the keyboard to the next field.
void type_in_next_field();
/// Gives the keyboard back to the last field, which Enter has left, with this text and the cursor at its end.
void go_on_typing(const Frame& frame, const char* id, std::string_view text);

/// Begins a field as wide as its area, in type of this face; end it with ImGui::PopFont().
void begin_field(const Frame& frame, Face face);
/// The frame around the last field, which has the keyboard.
void draw_field_frame(const Frame& frame);

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

struct PathKeys {
  bool changed = false;  ///< `text` has changed
  bool entered = false;  ///< Enter
  int moved = 0;         ///< lines down, by arrow keys
  bool has_keyboard = false;
};
/// `focus` gives it the keyboard, with the caret at the end. `complete` completes the text for Tab; without it, Tab
/// leaves the field.
PathKeys path_field(const Frame& frame, const char* id, std::string& text, bool focus,
                    const std::function<std::string(const std::string&)>& complete = {}, const char* hint = "");

}  // namespace headlight
