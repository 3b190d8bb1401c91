// The middle of the window: the chosen view.
#include "ui/document/action.h"
#include "ui/lessons/lesson_canvas.h"
#include "ui/lessons/lesson_panel.h"
#include "ui/panels/registry.h"
#include "ui/views/registry.h"
#include "ui/views/roomy.h"
#include "ui/widgets/controls.h"

namespace headlight {

void draw_canvas(const Frame& panels, Rect place) {
  const ViewEntry& view = view_entry(panels.view().kind);
  const Frame frame = view.kind == ViewKind::pipeline ? panels : roomy(panels);
  const PanelArea area(frame, "canvas", place.min, place.max, 0, {0, 0},
                       view.scrolls ? PanelArea::Kind::scrolling : PanelArea::Kind::fixed);
  if (!frame.trace() || !looks_within(frame.view(), *frame.trace())) return;
  const Course* course = view.kind == ViewKind::lesson ? nullptr : open_course(frame.document, frame.pictures);
  if (!course) return view.draw(frame, place);
  const Rect inside = above_notes(frame, *course, place);
  if (!draw_in_views_stead(frame, *course, inside)) {
    view.draw(frame, inside);
    draw_ring(frame, inside);
  }
  draw_notes(frame, *course, inside, place);
}

}  // namespace headlight
