// The views of the window's middle, in the order of their tabs (registry.cpp). Tabs, help and the tests that draw every
// view use this list.
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

std::span<const ViewEntry> all_views();
const ViewEntry& view_entry(ViewKind kind);

void draw_levels_view(const Frame& frame, Rect place);

/// The factor for views whose type does not follow their size: 1 up to 1600 × 900.
float room_scale(ImVec2 window, float scale);
/// The frame with larger points in a large window; unchanged in a presentation, which is scaled already.
Frame scaled_to_window(const Frame& frame);

}  // namespace headlight
