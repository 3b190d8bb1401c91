#include "ui/parts/widgets/pressable.h"

#include <algorithm>
#include <limits>

#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"

namespace headlight {

using compat::Key;
using compat::pressed;

bool takes_keyboard(const Frame& frame) {
  const ImGuiID item = ImGui::GetItemID();
  if (ImGui::IsItemActivated()) frame.focus.follow(item);
  if (!frame.focus.visit(item)) return false;
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  const ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect clip{list.GetClipRectMin(), list.GetClipRectMax()};
  if (frame.focus.moved() && ImGui::GetScrollMaxY() > 0 && (min.y < clip.min.y || max.y > clip.max.y))
    ImGui::SetScrollHereY(0.5f);
  frame.focus.draw_ring({min, max}, clip);
  return true;
}

bool clickable(const char* id, ImVec2 size) {
  return ImGui::InvisibleButton(id, {std::max(size.x, 1.0f), std::max(size.y, 1.0f)});
}

bool pressable(const Frame& frame, const char* id, ImVec2 size, bool enabled) {
  const bool clicked = clickable(id, size);
  if (!enabled) return false;
  const bool here = takes_keyboard(frame) && !frame.focus.moved();
  return clicked || (here && (compat::pressed_once(Key::enter) || compat::pressed_once(Key::space)));
}

bool clickable(const char* id, const Rect& place) {
  ImGui::SetCursorScreenPos(place.min);
  return clickable(id, ImVec2{place.width(), place.height()});
}

bool pressable(const Frame& frame, const char* id, const Rect& place, bool enabled) {
  ImGui::SetCursorScreenPos(place.min);
  return pressable(frame, id, ImVec2{place.width(), place.height()}, enabled);
}

int keyboard_steps() {
  constexpr int all = std::numeric_limits<int>::max() / 2;
  if (pressed(Key::home)) return -all;
  if (pressed(Key::end)) return all;
  return (pressed(Key::right) || pressed(Key::up) ? 1 : 0) - (pressed(Key::left) || pressed(Key::down) ? 1 : 0);
}

void draw_keyboard_ring(const Frame& frame) {
  if (!frame.focus.ring()) return;
  const auto& [rect, clip] = *frame.focus.ring();
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const float u = frame.u;
  const Rect around = rect.grown(Space::fine * u), room = clip.grown(Space::thin * u);
  list.PushClipRect(room.min, room.max);
  compat::add_rect(list, around.min, around.max, frame.look.accent, Corner::control * u, Stroke::chosen(u));
  list.PopClipRect();
}

float button_width(const Frame& frame, const char* label) {
  return frame.width(Face::bold, TypeSize::note, label) + ControlPad::main * frame.u;
}

bool main_button(const Frame& frame, const char* id, const char* label, bool enabled) {
  const float size = TypeSize::note * frame.u;
  const ImVec2 text = text_size(frame.fonts, Face::bold, size, label);
  const ImVec2 extent{button_width(frame, label), ControlHeight::chip * frame.u};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = pressable(frame, id, extent, enabled);
  const ImU32 ground = fade(frame.look.accent, !enabled ? 0.35f : ImGui::IsItemHovered() ? 0.85f : 1);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + extent.x, at.y + extent.y}, ground, Corner::control * frame.u);
  draw_text(list, frame.fonts, Face::bold, size, {at.x + (extent.x - text.x) / 2, at.y + (extent.y - text.y) / 2},
            frame.look.card, label);
  return clicked;
}

}  // namespace headlight
