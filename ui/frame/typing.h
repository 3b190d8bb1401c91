// Typing: the one line that has the keyboard, as it stands. ImGui 1.86 drops what was typed where a click takes the
// keyboard before the field is drawn; so the field finds it here and gives it on.
#pragma once

#include <optional>
#include <string>

namespace headlight {

/// What stood in a field that was typed into, for the journal.
struct TypedLine {
  unsigned int field = 0;  ///< its ImGui id
  std::string text;
  bool operator==(const TypedLine&) const = default;
};

struct Typing {
  unsigned int field = 0;  ///< its ImGui id
  int frame = -1;          ///< in which it had the keyboard last
  std::string text;
  bool edited = false;     ///< since it has the keyboard
  bool takes_tab = false;  ///< to complete what is typed
  std::string buffer;      ///< of whichever field is being drawn, so that its memory is kept

  std::optional<TypedLine> recovered;  ///< is given back into its field, once that is drawn
  int tries = 0;                       ///< frames in which that was tried
};

}  // namespace headlight
