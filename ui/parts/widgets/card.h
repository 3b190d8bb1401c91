// A card: filled background, rounded corners, a border.
#pragma once

#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"

namespace headlight {

/// The card's rectangle on whole pixels, so that its border is sharp.
Rect card_on_pixels(const Rect& card);
/// Fills a rectangle on whole pixels with an opaque colour. Only the strips with the corners use ImGui, which blends
/// every pixel; the rest is the painter's flat fill.
void fill_area(MatrixPainter& painter, ImDrawList& list, const Rect& area, ImU32 colour, float corner);
/// `border` 0: the usual line; else a border in this colour, `thickness` pixels wide.
void draw_card(const Frame& frame, ImDrawList& list, const Rect& card, ImU32 border = 0, float thickness = 1);
/// The background of a warning over the whole window; returns the list that its words are drawn on.
ImDrawList& draw_warning_plate(const Frame& frame, const Rect& plate);
/// Words in the middle of `room`, on a plate of their own.
void say_on_plate(const Frame& frame, ImDrawList& list, const Rect& room, const char* words);

/// A head's border in its colour: solid for the first eight heads, dashed for the next eight, dotted beyond
/// (Look::head_lap). `t`: pixels per point.
void draw_head_border(ImDrawList& list, const Rect& card, ImU32 hue, int lap, float corner, float thickness, float t);

}  // namespace headlight
