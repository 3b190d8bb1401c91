// Typing: the text of the field that has the keyboard. ImGui 1.86 drops typed text when a click moves the keyboard
// before the field is drawn; the field recovers it from here.
#pragma once

#include <optional>
#include <string>

namespace headlight {

/// The text of a field, for the journal.
struct TypedLine {
  unsigned int field = 0;  ///< ImGui id
  std::string text;
  bool operator==(const TypedLine&) const = default;
};

struct Typing {
  unsigned int field = 0;  ///< ImGui id
  int frame = -1;          ///< the last frame in which it had the keyboard
  std::string text;
  bool edited = false;     ///< edited since it got the keyboard
  bool takes_tab = false;  ///< it uses Tab for completion
  std::string buffer;      ///< buffer shared by all fields, to avoid allocations

  std::optional<TypedLine> recovered;  ///< recovered text, put back when its field is drawn
  int tries = 0;                       ///< frames in which that was tried
};

}  // namespace headlight
