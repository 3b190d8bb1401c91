#include "ui/parts/widgets/controls.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <exception>

#include "core/base/text/number_text.h"
#include "ui/base/frame/matrix_painter.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/parts/widgets/text_input.h"

namespace headlight {
namespace {
// Points; a slider's number has `number_pad` at both ends while it is edited.
constexpr float number_pad = 7, least_number = 56, knob_radius = 6.5f, chip_corner = 7, tooltip_width = 320;

/// Label on the left, number on the right, which can be edited after a click. Returns the text once editing is done.
std::optional<std::string> slider_heading(const Frame& frame, const char* id, const char* label, const char* shown,
                                          bool enabled) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float size = TypeSize::body * frame.u;
  draw_text(list, frame.fonts, Face::ui, size, at, enabled ? frame.look.ink : frame.look.muted, label);
  const float digits = text_size(frame.fonts, Face::mono, size, shown).x;
  const float number_width = std::max(digits + 2 * number_pad * frame.u, least_number * frame.u);
  std::optional<std::string> typed;
  if (!enabled) {
    draw_text(list, frame.fonts, Face::mono, size, {at.x + width - digits, at.y}, frame.look.muted, shown);
    ImGui::Dummy({width, Space::row * frame.u});
    return typed;
  }
  ImGui::SetCursorScreenPos({at.x + width - number_width, at.y - Space::thin * frame.u});
  compat::push_font(frame.fonts.pick(Face::mono, size), size);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, IM_COL32(0, 0, 0, 0));
  ImGui::SetNextItemWidth(number_width);
  // Right-aligned while it is not edited: ImGui's field is left-aligned, so the padding does it.
  const float slack = number_width - 2 * number_pad * frame.u - digits;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      {number_pad * frame.u + std::max(slack, 0.0f), Space::thin * frame.u});
  const Typed field = text_input(frame, id, shown, "", ImGuiInputTextFlags_AutoSelectAll, nullptr, nullptr, false);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ImGui::PopFont();
  if ((field.entered || field.left) && field.text != shown) typed = field.text;
  ImGui::SetCursorScreenPos({at.x, at.y + Space::row * frame.u});
  ImGui::Dummy({0, 0});
  return typed;
}

/// What the user did with a track: dragged it to a position, or moved it by steps of the keyboard.
struct Moved {
  std::optional<float> share;
  int steps = 0;
};

/// The track with its knob at `share`. Enter focuses the number above it.
Moved track(const Frame& frame, const char* id, float share, bool enabled) {
  const ImVec2 below = ImGui::GetCursorScreenPos(), at{below.x, below.y - ImGui::GetStyle().ItemSpacing.y};
  ImGui::SetCursorScreenPos(at);
  const float width = ImGui::GetContentRegionAvail().x, height = Space::row * frame.u, radius = knob_radius * frame.u;
  clickable(id, {width, height});
  Moved moved;
  if (enabled && takes_keyboard(frame)) {
    moved.steps = keyboard_steps();
    if (compat::pressed_once(compat::Key::enter)) frame.focus.give(ImGui::GetID("##number"));
  }
  const bool active = enabled && ImGui::IsItemActive(), hovered = enabled && ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = at.y + height / 2, left = at.x + radius, length = width - 2 * radius;
  const float x = left + length * std::clamp(share, 0.0f, 1.0f);
  const float half = Space::fine * frame.u;
  list.AddRectFilled({at.x, y - half}, {at.x + width, y + half}, frame.look.field, half);
  if (enabled) {
    const ImU32 colour = active || hovered ? frame.look.accent : frame.look.muted;
    list.AddRectFilled({at.x, y - half}, {x, y + half}, colour, half);
    list.AddCircleFilled({x, y}, radius, frame.look.knob, 24);
    list.AddCircle({x, y}, radius - frame.u * 0.5f, colour, 24, Stroke::firm(frame.u));
  }
  if (active && length > 0) moved.share = std::clamp((ImGui::GetIO().MousePos.x - left) / length, 0.0f, 1.0f);
  return moved;
}

/// As many options from `first` on as fit into one line in full, at least one.
struct Line {
  std::size_t end = 0;
  float largest = 0, spare = 0;  ///< the largest of their widths, and the unused width of the line
};
Line line_of(const Frame& frame, std::span<const char* const> labels, std::size_t first, float whole, float gap) {
  Line line{first, 0, whole + gap};
  for (; line.end < labels.size(); ++line.end) {
    const float need = chip_width(frame, labels[line.end]);
    if (line.end > first && line.spare < need + gap) break;
    line.spare -= need + gap;
    line.largest = std::max(line.largest, need);
  }
  line.spare = std::max(line.spare, 0.0f);
  return line;
}

}  // namespace

PanelArea::PanelArea(const Frame& frame, const char* name, ImVec2 min, ImVec2 max, ImU32 ground, ImVec2 padding,
                     Kind kind) {
  ImGui::SetNextWindowPos(min);
  ImGui::SetNextWindowSize({max.x - min.x, max.y - min.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding.x * frame.u, padding.y * frame.u});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGuiWindowFlags flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                           ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                           ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground;
  if (kind != Kind::floating) flags |= ImGuiWindowFlags_NoBringToFrontOnFocus;
  if (kind != Kind::scrolling) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::Begin(name, nullptr, flags);
  ImGui::PopStyleVar(3);
  if (ground != 0) frame.painter.fill(*ImGui::GetWindowDrawList(), min, max, ground);
}

PanelArea::~PanelArea() {
  if (std::uncaught_exceptions() == 0) ImGui::End();  // otherwise the session closes the open windows
}

ControlArea::ControlArea(const char* id, const Rect& place) {
  ImGui::SetCursorScreenPos(place.min);
  ImGui::BeginChild(id, {place.width(), place.height()}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar |
                        ImGuiWindowFlags_NoScrollWithMouse);
}

ControlArea::~ControlArea() {
  if (std::uncaught_exceptions() == 0) ImGui::EndChild();
}

void section(const Frame& frame, const char* words) {
  if (ImGui::GetCursorPosY() > 24 * frame.u) ImGui::Dummy({0, Space::thin * frame.u});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  frame.write(Face::bold, TypeSize::note, at, frame.look.muted, words);
  ImGui::Dummy({0, 13 * frame.u});
}

Index Choices::place_of(Index value) const {
  if (list_.empty()) return std::clamp<Index>(value - from_, 0, count_);
  return std::lower_bound(list_.begin(), list_.end(), value) - list_.begin();
}

std::optional<SliderChange> int_slider(const Frame& frame, const char* id, const char* label, Index value,
                                       const Choices& choices, bool enabled) {
  ImGui::PushID(id);
  enabled = enabled && choices.count() > 1;
  std::optional<SliderChange> change;
  if (const auto typed = slider_heading(frame, "##number", label, std::to_string(value).c_str(), enabled)) {
    Index number = 0;
    const auto [end, error] = std::from_chars(typed->data(), typed->data() + typed->size(), number);
    if (error == std::errc() && end == typed->data() + typed->size()) change = SliderChange{number, true};
  }
  const float last = choices.count() > 1 ? static_cast<float>(choices.count() - 1) : 1.0f;
  const Index place = choices.place_of(value);
  const Moved moved = track(frame, "##track", static_cast<float>(place) / last, enabled);
  if (moved.share || moved.steps != 0) {
    const Index chosen = choices[moved.share ? std::lround(*moved.share * last)
                                             : std::clamp<Index>(place + moved.steps, 0, choices.count() - 1)];
    if (chosen != value) change = SliderChange{chosen, false};
  }
  ImGui::PopID();
  return change;
}

std::optional<float> float_slider(const Frame& frame, const char* id, const char* label, float value, float lo,
                                  float hi, const char* shown) {
  ImGui::PushID(id);
  std::optional<float> change;
  if (const auto typed = slider_heading(frame, "##number", label, shown, true)) {
    float number = 0;
    const auto [end, error] = number_from(typed->data(), typed->data() + typed->size(), number);
    if (error == std::errc() && end == typed->data() + typed->size() && std::isfinite(number)) change = number;
  }
  const Moved moved = track(frame, "##track", (value - lo) / (hi - lo), true);
  if (moved.share || moved.steps != 0) {
    const float share = moved.share.value_or((value - lo) / (hi - lo) + 0.01f * static_cast<float>(moved.steps));
    const float chosen = std::round((lo + std::clamp(share, 0.0f, 1.0f) * (hi - lo)) * 100) / 100;
    if (chosen != value) change = chosen;
  }
  ImGui::PopID();
  return change;
}

std::optional<int> segments(const Frame& frame, const char* id, std::span<const char* const> labels, int chosen) {
  ImGui::PushID(id);
  const float gap = Space::tight * frame.u, whole = ImGui::GetContentRegionAvail().x;
  std::optional<int> clicked;
  for (std::size_t first = 0, end = 0; first < labels.size(); first = end) {
    const Line line = line_of(frame, labels, first, whole, gap);
    end = line.end;
    const auto count = static_cast<float>(end - first);
    const float share = (whole - gap * (count - 1)) / count;
    for (std::size_t i = first; i < end; ++i) {
      if (i > first) ImGui::SameLine(0, gap);
      const float width =
          line.largest <= share ? share : std::min(chip_width(frame, labels[i]) + line.spare / count, whole);
      if (chip(frame, labels[i], labels[i], static_cast<int>(i) == chosen, width)) clicked = static_cast<int>(i);
    }
  }
  ImGui::PopID();
  return clicked;
}

std::optional<int> pick(const Frame& frame, const char* id, std::span<const char* const> keys, int chosen) {
  std::array<const char*, 8> labels{};
  std::ranges::transform(keys.first(std::min(keys.size(), labels.size())), labels.begin(),
                         [&](const char* key) { return frame.words(key); });
  const auto clicked = segments(frame, id, std::span(labels).first(keys.size()), chosen);
  return clicked && *clicked != chosen ? clicked : std::nullopt;
}

float chip_width(const Frame& frame, std::string_view label) {
  return frame.width(Face::bold, TypeSize::note, label) + Space::apart * frame.u;
}

bool chip(const Frame& frame, const char* id, std::string_view label, bool chosen, float width) {
  const float size = TypeSize::note * frame.u;
  const ImVec2 text = text_size(frame.fonts, chosen ? Face::bold : Face::ui, size, label);
  const ImVec2 extent{width > 0 ? width : text.x + ControlPad::chip * frame.u, ControlHeight::chip * frame.u};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = pressable(frame, id, extent);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + extent.x, at.y + extent.y};
  const float corner = chip_corner * frame.u;
  if (chosen || hovered) list.AddRectFilled(at, end, chosen ? frame.look.field_hover : frame.look.field, corner);
  compat::add_rect(list, at, end, frame.look.line, corner, 1);
  list.PushClipRect(at, end, true);
  draw_text(list, frame.fonts, chosen ? Face::bold : Face::ui, size,
            {std::max(at.x + Space::tight * frame.u, at.x + (extent.x - text.x) / 2), at.y + (extent.y - text.y) / 2},
            chosen ? frame.look.ink : frame.look.muted, label);
  list.PopClipRect();
  return clicked;
}

bool button_before(const Frame& frame, const char* id, const char* label, bool main, float y, float& right) {
  const float width = button_width(frame, label);
  right -= width;
  ImGui::SetCursorScreenPos({right, y});
  right -= Space::gap * frame.u;
  return main ? main_button(frame, id, label) : chip(frame, id, label, false, width);
}

ChipFlow::ChipFlow(const Frame& frame)
    : frame_(frame), whole_(ImGui::GetContentRegionAvail().x), gap_(Space::tight * frame.u) {}

bool ChipFlow::chip(const char* id, std::string_view label, bool chosen) {
  const float third = (whole_ - 2 * gap_) / 3, width = std::max(third, std::min(chip_width(frame_, label), whole_));
  if (left_ + 0.5f >= width + gap_) ImGui::SameLine(0, gap_);
  else left_ = whole_ + gap_;
  left_ -= width + gap_;
  return headlight::chip(frame_, id, label, chosen, width);
}

bool bar_button(const Frame& frame, const char* id, std::string_view label, bool chosen, bool enabled, float pad) {
  const float size = TypeSize::body * frame.u;
  const ImVec2 text = text_size(frame.fonts, chosen ? Face::bold : Face::ui, size, label);
  const ImVec2 extent{text.x + 2 * pad * frame.u, ControlHeight::bar * frame.u};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = pressable(frame, id, extent, enabled);
  const bool hovered = enabled && ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (chosen || hovered)
    list.AddRectFilled(at, {at.x + extent.x, at.y + extent.y}, frame.look.field, Corner::control * frame.u);
  const ImU32 colour = !enabled ? fade(frame.look.muted, 0.45f) : chosen || hovered ? frame.look.ink : frame.look.muted;
  draw_text(list, frame.fonts, chosen ? Face::bold : Face::ui, size,
            {at.x + pad * frame.u, at.y + (extent.y - text.y) / 2}, colour, label);
  return clicked;
}

std::optional<std::string> text_field(const Frame& frame, const char* id, const std::string& text, Face face, bool live,
                                      const char* hint, AfterEnter after) {
  begin_field(frame, face);
  const float room = ImGui::CalcItemWidth() - 2 * ImGui::GetStyle().FramePadding.x;
  const bool cut = text.empty() && text_size(frame.fonts, face, TypeSize::body * frame.u, hint).x > room;
  const Typed field =
      text_input(frame, id, text, cut ? elide(frame.fonts, face, TypeSize::body * frame.u, hint, room).c_str() : hint);
  if (field.active) draw_field_frame(frame);
  ImGui::PopFont();
  if (field.entered && after == AfterEnter::goes_on) go_on_typing(frame, id, field.text);
  if ((field.entered || field.left || (live && field.changed)) && field.text != text) return field.text;
  return std::nullopt;
}

namespace {

/// A paragraph at the cursor, as an item.
void put_paragraph(const Frame& frame, float pixels, ImU32 colour, std::string_view text, float width) {
  const float height = draw_paragraph(ImGui::GetWindowDrawList(), frame.fonts, Face::ui, pixels,
                                      ImGui::GetCursorScreenPos(), colour, text, width);
  ImGui::Dummy({width, height});
}

}  // namespace

void note(const Frame& frame, std::string_view text) {
  put_paragraph(frame, TypeSize::note * frame.u, frame.look.muted, text, ImGui::GetContentRegionAvail().x);
}

void tooltip(const Frame& frame, std::string_view text) {
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  const float pixels = ImGui::GetFontSize();
  const float width = std::min(text_size(frame.fonts, Face::ui, pixels, text).x + 1, tooltip_width * frame.u);
  put_paragraph(frame, pixels, frame.look.ink, text, width);
  ImGui::EndTooltip();
}

std::optional<int> choice_box(const Frame& frame, const char* id, int count, int chosen,
                              const std::function<const char*(int)>& name_of) {
  std::optional<int> clicked;
  begin_field(frame, Face::ui);
  if (ImGui::BeginCombo(id, chosen >= 0 && chosen < count ? name_of(chosen) : "", ImGuiComboFlags_HeightLarge)) {
    for (int i = 0; i < count; ++i) {
      ImGui::PushID(i);
      if (ImGui::Selectable(name_of(i), i == chosen)) clicked = i;
      if (i == chosen) ImGui::SetItemDefaultFocus();
      ImGui::PopID();
    }
    if (compat::pressed_once(compat::Key::escape)) ImGui::CloseCurrentPopup();
    ImGui::EndCombo();
  } else if (takes_keyboard(frame)) {
    const int next = chosen + (compat::pressed(compat::Key::down) ? 1 : 0) - (compat::pressed(compat::Key::up) ? 1 : 0);
    if (next != chosen && next >= 0 && next < count) clicked = next;
  }
  ImGui::PopFont();
  return clicked;
}

}  // namespace headlight
