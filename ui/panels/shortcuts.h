// The table of shortcuts, which the help shows and a test checks.
#pragma once

#include <span>

namespace headlight {

/// Two blanks separate shortcuts; one blank separates keys that share the modifiers before them: "Alt+← →" is Alt+← and
/// Alt+→.
struct Shortcut {
  const char* keys;  ///< "": a heading
  const char* word;  ///< the translation's key
};
std::span<const Shortcut> all_shortcuts();

}  // namespace headlight
