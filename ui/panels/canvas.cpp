// The middle of the window: the chosen view.
#include "ui/panels/registry.h"
#include "ui/views/registry.h"
#include "ui/widgets/controls.h"

namespace headlight {

void draw_canvas(const Frame& frame, Rect place) {
  const PanelArea area(frame, "canvas", place.min, place.max, 0, {0, 0}, frame.view().kind == ViewKind::lesson ? PanelArea::Kind::scrolling : PanelArea::Kind::fixed);
  if (!frame.trace()) return;
  const ViewEntry* chosen = &all_views().front();
  for (const ViewEntry& view : all_views()) {
    if (view.kind == frame.view().kind) chosen = &view;
  }
  chosen->draw(frame, place);
}

}  // namespace headlight
