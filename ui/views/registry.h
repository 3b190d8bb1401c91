// The views that the middle of the window can show, listed here once, in the order of their tabs.
#pragma once

#include <span>

#include "ui/frame.h"
#include "ui/pipeline/layout.h"

namespace headlight {

struct ViewEntry {
  ViewKind kind;
  const char* word;  ///< key of its name in the table of words
  /// Draws into `place`, inside the window that is open. There is a trace.
  void (*draw)(const Frame& frame, Rect place);
};

std::span<const ViewEntry> all_views();

void draw_pipeline_view(const Frame& frame, Rect place);
void draw_heads_view(const Frame& frame, Rect place);
void draw_mask_view(const Frame& frame, Rect place);
void draw_compare_view(const Frame& frame, Rect place);
void draw_lesson_view(const Frame& frame, Rect place);

}  // namespace headlight
