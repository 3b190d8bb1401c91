#include "ui/widgets/card.h"

#include "ui/imgui_compat.h"

namespace headlight {

void draw_card(const Frame& frame, ImDrawList& list, const Rect& card, ImU32 border, float thickness) {
  const float corner = 9 * frame.u;
  list.AddRectFilled(card.min, card.max, frame.look.card, corner);
  compat::add_rect(list, card.min, card.max, border != 0 ? border : frame.look.line, corner, thickness);
}

void draw_card_title(const Frame& frame, ImDrawList& list, const Rect& card, ImU32 colour, std::string_view title, float taken) {
  const float u = frame.u;
  draw_elided(list, frame.fonts, Face::bold, 13 * u, {card.min.x + 14 * u, card.min.y + 8 * u}, colour, title, card.width() - 28 * u - taken);
}

}  // namespace headlight
