// The ground of a card: filled, with round corners and a line around it.
#pragma once

#include "ui/frame.h"
#include "ui/pipeline/layout.h"

namespace headlight {

/// `border` 0: the quiet line. A marked card has a border of its own, of `thickness` pixels.
void draw_card(const Frame& frame, ImDrawList& list, const Rect& card, ImU32 border = 0, float thickness = 1);
/// Its title, cut where it is wider than the card; ends before `taken` pixels at the right.
void draw_card_title(const Frame& frame, ImDrawList& list, const Rect& card, ImU32 colour, std::string_view title, float taken = 0);

}  // namespace headlight
