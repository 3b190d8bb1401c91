#include "ui/window/panels/registry.h"

#include <algorithm>
#include <cmath>

#include "ui/base/document/action.h"
#include "ui/base/look/measure.h"
#include "ui/dialogs/open/open_dialog.h"
#include "ui/parts/matrix/matrix_menu.h"
#include "ui/parts/widgets/controls.h"
#include "ui/views/lessons/lesson_canvas.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/views/registry.h"

namespace headlight {
namespace {

/// The panels around the canvas, and the windows that have them, in points.
struct PanelSizes {
  static constexpr RoomShare lesson{0.26f, 290, 430}, controls{0.17f, 216, 290}, inspector{0.205f, 244, 350};
  static constexpr float top = 46, upright_below = 620, inspector_from = 900;
};

float top_height(const Frame& frame) {
  return frame.view().presenting || frame.view().alone ? 0 : PanelSizes::top * frame.u;
}

Rect place_top(const Frame& frame, ImVec2 window) { return {{0, 0}, {window.x, top_height(frame)}}; }

/// Whether there are moments to play: not of a run, which has a curve, nor of gradients, which go the other way.
bool has_player(const Frame& frame) {
  return !frame.view().alone && view_entry(frame.view().kind).plays && !(frame.trace() && frame.trace()->gradients_of);
}

float bottom_height(const Frame& frame) {
  if (frame.view().alone) return 0;
  const float player = !has_player(frame) ? 0 : frame.view().presenting ? 26 : 62;
  return player * frame.u + watch_height(frame);
}

/// Whether the window is narrow, as on a phone held upright: the left panel is then below the middle.
bool is_upright(const Frame& frame, ImVec2 window) { return window.x < PanelSizes::upright_below * frame.u; }
float below_middle(const Frame& frame, ImVec2 window) {
  const float top = top_height(frame), bottom = window.y - bottom_height(frame);
  return is_upright(frame, window) && left_width(frame, window) > 0 ? std::round(top + 0.58f * (bottom - top)) : bottom;
}

Rect place_left(const Frame& frame, ImVec2 window) {
  const float bottom = window.y - bottom_height(frame);
  if (is_upright(frame, window)) return {{0, below_middle(frame, window)}, {window.x, bottom}};
  return {{0, top_height(frame)}, {left_width(frame, window), bottom}};
}

Rect place_right(const Frame& frame, ImVec2 window) {
  return {{window.x - right_width(frame, window), top_height(frame)}, {window.x, window.y - bottom_height(frame)}};
}

Rect place_messages(const Frame& frame, ImVec2 window) {
  const float left = is_upright(frame, window) ? 0 : left_width(frame, window);
  return {{left, top_height(frame)}, {window.x - right_width(frame, window), below_middle(frame, window)}};
}

/// Errors are shown below the canvas, where they cover no controls.
Rect place_middle(const Frame& frame, ImVec2 window) {
  Rect place = place_messages(frame, window);
  place.max.y -= std::round(error_height(frame, place));
  return place;
}

Rect place_window(const Frame&, ImVec2 window) { return {{0, 0}, window}; }

/// The top bar stays visible, so that users can change the language first.
Rect place_welcome(const Frame& frame, ImVec2 window) { return {{0, top_height(frame)}, window}; }

Rect place_bottom(const Frame& frame, ImVec2 window) {
  return {{0, window.y - bottom_height(frame) + watch_height(frame)}, window};
}

Rect place_watch(const Frame& frame, ImVec2 window) {
  const float top = window.y - bottom_height(frame);
  return {{0, top}, {window.x, top + watch_height(frame)}};
}

constexpr std::array panels{
    Panel{"canvas", place_middle, draw_canvas},
    Panel{"controls", place_left, draw_controls},
    Panel{"inspector", place_right, draw_inspector},
    Panel{"player_bar", place_bottom, draw_player_bar},
    Panel{"watch_bar", place_watch, draw_watch_bar},
    Panel{"top_bar", place_top, draw_top_bar},
    Panel{"messages", place_messages, draw_messages},
    Panel{"matrix_menu", place_window, draw_matrix_menu},
    Panel{"welcome", place_welcome, draw_welcome},
    Panel{"help", place_window, draw_help},
    Panel{"open", place_window, draw_open_dialog},
    Panel{"layers", place_window, draw_layer_dialog},
    Panel{"polarity", place_window, draw_polarity_dialog},
    Panel{"paste", place_window, draw_paste_dialog},
    Panel{"export", place_window, draw_export_dialog},
    Panel{"save", place_window, draw_save_dialog},
    Panel{"leave", place_window, draw_leave_dialog},
};

Sides sides_of(const Frame& frame) {
  const View& view = frame.view();
  return view.presenting || view.alone ? Sides{false, false} : view_entry(view.kind).sides(frame.document);
}

/// Draws in `place` or, if that is smaller than the view needs, in an area of the view's own size with scroll bars.
template <typename Draw>
void draw_with_room(const Frame& frame, const ViewEntry& view, Rect place, Draw draw) {
  const ImVec2 points = view.least(frame), least{points.x * frame.u, points.y * frame.u};
  const bool wide = place.width() >= least.x, high = place.height() >= least.y;
  if ((wide && high) || frame.view().presenting) return draw(place);  // no scroll bars in a presentation
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

std::span<const Panel> all_panels() { return panels; }

float left_width(const Frame& frame, ImVec2 window) {
  const bool lesson =
      !frame.view().alone && !frame.document.origin.lesson.course.empty() && frame.view().kind != ViewKind::lesson;
  if (lesson && frame.view().presenting) return std::round(window.x * 0.28f);
  if (lesson) return std::round(PanelSizes::lesson.of(window.x, frame.u));
  return !sides_of(frame).controls ? 0 : std::round(PanelSizes::controls.of(window.x, frame.u));
}

float right_width(const Frame& frame, ImVec2 window) {
  const bool narrow = window.x < PanelSizes::inspector_from * frame.u;  // the picture has priority over the inspector
  return narrow || !sides_of(frame).inspector || asks_in_canvas(frame)
             ? 0
             : std::round(PanelSizes::inspector.of(window.x, frame.u));
}

void draw_canvas(const Frame& panels, Rect place) {
  const ViewEntry& view = view_entry(panels.view().kind);
  const Frame frame = view.kind == ViewKind::pipeline ? panels : scaled_to_window(panels);
  const PanelArea area(frame, "canvas", place.min, place.max, 0, {0, 0},
                       view.scrolls ? PanelArea::Kind::scrolling : PanelArea::Kind::fixed);
  if (!frame.trace() || !selects_within(frame.view(), *frame.trace())) return;
  const Course* course = view.kind == ViewKind::lesson ? nullptr : open_course(frame.document, frame.pictures);
  if (!course) return draw_with_room(frame, view, place, [&](Rect room) { view.draw(frame, room); });
  const Rect inside = above_notes(frame, *course, place);
  if (!draw_in_views_stead(frame, *course, inside, shows_hidden(frame.view()))) {
    draw_with_room(frame, view, inside, [&](Rect room) {
      view.draw(frame, room);
      draw_ring(frame, room);
    });
  }
  draw_notes(frame, *course, inside, place);
}

}  // namespace headlight
