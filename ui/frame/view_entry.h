// ViewEntry: one view of the window's middle; ui/views/registry.cpp lists them.
#pragma once

#include <span>

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

struct ViewEntry {
  ViewKind kind;
  const char* word;  ///< translation key of its name
  /// Draws into `place` of the current window. The document has a trace.
  void (*draw)(const Frame& frame, Rect place);
  /// In points: where there is less room, the view is as large all the same, behind scroll bars.
  ImVec2 (*least)(const Frame& frame);
  bool zooms = false;    ///< the wheel is its own
  bool scrolls = false;  ///< it may be higher than its place
};

}  // namespace headlight
