// A line of text above a list: it keeps the keyboard, and the arrows move in the list.
#pragma once

#include <functional>
#include <string>

#include "ui/frame/frame.h"

namespace headlight {

struct PathKeys {
  bool changed = false;  ///< the text, which then is in `text`
  bool entered = false;  ///< Enter
  int moved = 0;         ///< lines down, by the arrow keys
  bool has_keyboard = false;
};
/// `focus` gives it the keyboard, with the caret at the end. `complete` is what Tab makes of what is typed; none: Tab
/// leaves the field.
PathKeys path_field(const Frame& frame, const char* id, std::string& text, bool focus,
                    const std::function<std::string(const std::string&)>& complete = {}, const char* hint = "");

}  // namespace headlight
