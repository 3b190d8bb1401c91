#include "ui/parts/widgets/card.h"

#include <algorithm>
#include <cmath>

#include "ui/base/frame/matrix_painter.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/paragraph.h"

namespace headlight {

Rect card_on_pixels(const Rect& card) {
  return {{std::round(card.min.x), std::round(card.min.y)}, {std::round(card.max.x), std::round(card.max.y)}};
}

void fill_area(MatrixPainter& painter, ImDrawList& list, const Rect& area, ImU32 colour, float corner) {
  const float strip = corner > 0 ? std::ceil(corner) + 1 : 0;
  if (area.height() < 3 * strip) return list.AddRectFilled(area.min, area.max, colour, corner);
  const float top = area.min.y + strip, bottom = area.max.y - strip;
  if (strip > 0) {
    list.AddRectFilled(area.min, {area.max.x, top}, colour, corner, ImDrawFlags_RoundCornersTop);
    list.AddRectFilled({area.min.x, bottom}, area.max, colour, corner, ImDrawFlags_RoundCornersBottom);
  }
  const ImVec2 from = list.GetClipRectMin(), to = list.GetClipRectMax();
  const Rect seen{{std::max(area.min.x, from.x), std::max(top, from.y)},
                  {std::min(area.max.x, to.x), std::min(bottom, to.y)}};
  if (seen.min.x < seen.max.x && seen.min.y < seen.max.y) painter.fill(list, seen.min, seen.max, colour);
}

void draw_card(const Frame& frame, ImDrawList& list, const Rect& at, ImU32 border, float thickness) {
  const float corner = Corner::card * frame.u;
  const Rect card = card_on_pixels(at);
  {
    const compat::HardEdges under_border(list);
    fill_area(frame.painter, list, card, frame.look.card, corner);
  }
  compat::add_rect(list, card.min, card.max, border != 0 ? border : frame.look.line, corner, thickness);
}
constexpr float plate_width = 420;  // points

ImDrawList& draw_warning_plate(const Frame& frame, const Rect& plate) {
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const float corner = Corner::control * frame.u;
  list.AddRectFilled(plate.min, plate.max, frame.look.warning_ground, corner);
  compat::add_rect(list, plate.min, plate.max, frame.look.warning, corner, 1);
  return list;
}

void say_on_plate(const Frame& frame, ImDrawList& list, const Rect& room, const char* words) {
  const float u = frame.u, width = std::min(plate_width * u, room.width() - 2 * Space::wide * u),
              size = TypeSize::story * u;
  const float height = draw_paragraph(nullptr, frame.fonts, Face::ui, size, {0, 0}, 0, words, width);
  const ImVec2 at{room.centre().x - width / 2, room.centre().y - height / 2};
  const Rect plate = Rect{at, {at.x + width, at.y + height}}.grown(Space::apart * u);
  list.AddRectFilled(plate.min, plate.max, frame.look.panel, Corner::card * u);
  compat::add_rect(list, plate.min, plate.max, frame.look.line, Corner::card * u, 1);
  draw_paragraph(&list, frame.fonts, Face::ui, size, at, frame.look.ink, words, width);
}

namespace {

/// A straight dashed line: `dash` drawn, `gap` skipped.
void dashes(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 hue, float thickness, float dash, float gap) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < 1) return;
  const ImVec2 along{(to.x - from.x) / length, (to.y - from.y) / length};
  const float count = std::max(std::floor((length + gap) / (dash + gap)), 1.0f), pitch = (length + gap) / count;
  for (float i = 0; i < count; ++i) {
    const float a = i * pitch, b = std::min(a + pitch - gap, length);
    list.AddLine({from.x + along.x * a, from.y + along.y * a}, {from.x + along.x * b, from.y + along.y * b}, hue,
                 thickness);
  }
}

constexpr float dash_width = 1.5f, open_corner = 3;  // points; dashes leave the corners open

}  // namespace

void draw_head_border(ImDrawList& list, const Rect& card, ImU32 hue, int lap, float corner, float thickness, float t) {
  if (lap == 0) return compat::add_rect(list, card.min, card.max, hue, corner, thickness);
  const float dash = (lap == 1 ? 6.0f : 2.0f) * t, gap = (lap == 1 ? 4.0f : 3.0f) * t,
              thick = std::max(thickness, dash_width * t);
  const float c = std::min(corner, open_corner * t);
  for (const float y : {card.min.y, card.max.y})
    dashes(list, {card.min.x + c, y}, {card.max.x - c, y}, hue, thick, dash, gap);
  for (const float x : {card.min.x, card.max.x})
    dashes(list, {x, card.min.y + c}, {x, card.max.y - c}, hue, thick, dash, gap);
}

}  // namespace headlight
