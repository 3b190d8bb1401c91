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
  /// In points: where there is less room, the view is as large all the same, behind scroll bars.
  ImVec2 (*least)(const Frame& frame);
  bool zooms = false;    ///< the wheel is its own
  bool scrolls = false;  ///< it may be higher than its place
};

}  // namespace headlight
