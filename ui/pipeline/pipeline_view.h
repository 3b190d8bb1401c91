// The pipeline view: every stage as a card on a canvas that pans (drag) and zooms (wheel, around the pointer).
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_pipeline_view(const Frame& frame, Rect place);

/// Where the card of a stage stands on the screen; all of `place` where there is none.
Rect card_on_screen(const Frame& frame, Rect place, Stage stage);
/// The same picture on its way: what stands in `from` is drawn in `to`. Looks at no pointer.
void draw_pipeline_on_its_way(const Frame& frame, Rect place, const Rect& from, const Rect& to);

}  // namespace headlight
