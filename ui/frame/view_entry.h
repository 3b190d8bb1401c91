// ViewEntry: what a view of the middle says about itself; listed in ui/views/registry.cpp.
#pragma once

#include <span>

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

struct ViewEntry {
  ViewKind kind;
  const char* word;  ///< key of its name in the table of words
  /// Draws into `place`, inside the window that is open. There is a trace.
  void (*draw)(const Frame& frame, Rect place);
  bool scrolls = false;  ///< it may be higher than its place
};

}  // namespace headlight
