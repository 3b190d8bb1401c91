// The pipeline view: every stage as a card on a canvas that pans (drag) and zooms (wheel, around the pointer).
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"
#include "ui/level/scene.h"

namespace headlight {

void draw_pipeline_view(const Frame& frame, Rect place);

/// Where the card of a stage stands on the screen; all of `place` where there is none.
Rect card_on_screen(const Frame& frame, Rect place, Stage stage);
/// The picture as it is; looks at no pointer.
void draw_pipeline_still(const Frame& frame, Rect place);
/// The numbers of its matrices, each where it stands on the screen.
Scene numbers_on_cards(const Frame& frame, Rect place);

}  // namespace headlight
