// The list of shortcuts, as data: what the help shows, and what a test holds against what keys do.
#pragma once

#include <span>

namespace headlight {

/// Two blanks part shortcuts, one blank the keys that share the modifiers before them: "Alt+← →" is Alt+← and Alt+→.
struct Shortcut {
  const char* keys;  ///< "": a heading
  const char* word;  ///< the translation's key
};
std::span<const Shortcut> all_shortcuts();

}  // namespace headlight
