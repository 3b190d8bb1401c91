// The ground of a card: filled, with round corners and a line around it.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// Lies on whole pixels: its line is sharp, and its ground is exactly what fill_card() fills.
Rect card_on_pixels(const Rect& card);
/// The ground alone, of a card on whole pixels. Only the strips with the corners are ImGui's, which blends every pixel;
/// the rest is the painter's flat colour.
void fill_card(const Frame& frame, ImDrawList& list, const Rect& card, float corner);
/// `border` 0: the quiet line. A marked card has a border of its own, of `thickness` pixels.
void draw_card(const Frame& frame, ImDrawList& list, const Rect& card, ImU32 border = 0, float thickness = 1);
/// Its title, cut where it is wider than the card; ends before `taken` pixels at the right.
void draw_card_title(const Frame& frame, ImDrawList& list, const Rect& card, ImU32 colour, std::string_view title,
                     float taken = 0);

/// A head's border: its hue, solid for the first eight heads, dashed for the next and dotted for those after, where
/// hues come back (Look::head_lap). `t`: pixels per point.
void draw_head_border(ImDrawList& list, const Rect& card, ImU32 hue, int lap, float corner, float thickness, float t);

}  // namespace headlight
