// Typing: the one line that has the keyboard, as it stands. ImGui 1.86 drops what was typed where a click takes the
// keyboard before the field is drawn; so the field finds it here and gives it on.
#pragma once

#include <string>

namespace headlight {

struct Typing {
  unsigned int field = 0;  ///< its ImGui id
  int frame = -1;          ///< in which it had the keyboard last
  std::string text;
  bool takes_tab = false;  ///< to complete what is typed
  std::string buffer;      ///< of whichever field is being drawn, so that its memory is kept
};

}  // namespace headlight
