// A text field above a list: it keeps the keyboard, and the arrow keys move within the list.
#pragma once

#include <functional>
#include <string>

#include "ui/frame/frame.h"

namespace headlight {

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
