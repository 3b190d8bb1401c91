// The middle of the window: the chosen view.
#include "ui/panels/registry.h"
#include "ui/views/registry.h"
#include "ui/widgets/controls.h"

namespace headlight {

void draw_canvas(const Frame& frame, Rect place) {
  const ViewEntry& view = view_entry(frame.view().kind);
  const PanelArea area(frame, "canvas", place.min, place.max, 0, {0, 0}, view.scrolls ? PanelArea::Kind::scrolling : PanelArea::Kind::fixed);
  if (frame.trace()) view.draw(frame, place);
}

}  // namespace headlight
