// The sheets of the mask view, in the order of their tabs.
#pragma once

#include <span>

#include "ui/document/document.h"
#include "ui/document/view_choices.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

struct MaskTabEntry {
  MaskTab tab;
  const char* word;  ///< translation key of its name
  /// Draws into `place`, below the tabs. The document has a trace.
  void (*draw)(const Frame& frame, Rect place);
};

std::span<const MaskTabEntry> all_mask_tabs();

// In ui/masklab/NAME_tab.cpp or NAME_picture.cpp.
void draw_patterns_tab(const Frame& frame, Rect place);
void draw_conventions_tab(const Frame& frame, Rect place);
void draw_reach_tab(const Frame& frame, Rect place);
void draw_cost_tab(const Frame& frame, Rect place);
void draw_side_by_side_tab(const Frame& frame, Rect place);

}  // namespace headlight
