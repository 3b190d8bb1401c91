// The middle of the window: the chosen view.
#include <algorithm>

#include "ui/document/action.h"
#include "ui/lessons/lesson_canvas.h"
#include "ui/lessons/lesson_panel.h"
#include "ui/panels/registry.h"
#include "ui/views/registry.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

/// In `place`, or, where that is smaller than the view needs, in a room of the view's own size behind scroll bars.
template <typename Draw>
void draw_with_room(const Frame& frame, const ViewEntry& view, Rect place, Draw draw) {
  const ImVec2 points = view.least(frame), least{points.x * frame.u, points.y * frame.u};
  const bool wide = place.width() >= least.x, high = place.height() >= least.y;
  if ((wide && high) || frame.view().presenting) return draw(place);  // on a wall there is nobody to scroll
  const float bar = ImGui::GetStyle().ScrollbarSize;
  const ImVec2 size{std::max(least.x, place.width() - (high ? 0 : bar)),
                    std::max(least.y, place.height() - (wide ? 0 : bar))};
  ImGui::SetCursorScreenPos(place.min);
  ImGuiWindowFlags flags =
      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_HorizontalScrollbar;
  if (view.zooms) flags |= ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::BeginChild("room", {place.width(), place.height()}, false, flags);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  ImGui::SetCursorScreenPos(at);
  draw(Rect{at, {at.x + size.x, at.y + size.y}});
  ImGui::EndChild();
}

}  // namespace

void draw_canvas(const Frame& panels, Rect place) {
  const ViewEntry& view = view_entry(panels.view().kind);
  const Frame frame = view.kind == ViewKind::pipeline ? panels : scaled_to_window(panels);
  const PanelArea area(frame, "canvas", place.min, place.max, 0, {0, 0},
                       view.scrolls ? PanelArea::Kind::scrolling : PanelArea::Kind::fixed);
  if (!frame.trace() || !looks_within(frame.view(), *frame.trace())) return;
  const Course* course = view.kind == ViewKind::lesson ? nullptr : open_course(frame.document, frame.pictures);
  if (!course) return draw_with_room(frame, view, place, [&](Rect room) { view.draw(frame, room); });
  const Rect inside = above_notes(frame, *course, place);
  if (!draw_in_views_stead(frame, *course, inside)) {
    draw_with_room(frame, view, inside, [&](Rect room) {
      view.draw(frame, room);
      draw_ring(frame, room);
    });
  }
  draw_notes(frame, *course, inside, place);
}

}  // namespace headlight
