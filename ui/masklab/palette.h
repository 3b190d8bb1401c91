// Every pattern as a small picture to click, and what a click makes of the expression.
#pragma once

#include <string>

#include "ui/document/view_choices.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// The expression after a pattern was clicked: "(causal()) && (window(4))".
std::string combined(const std::string& old, const std::string& added, Combine how);

/// "A click: replaces | and | or | and not", at the cursor. Shift means or, Ctrl and, whatever is chosen.
void draw_combine_choice(const Frame& frame);
/// The height of a row of pictures, and how many there are in so wide a place.
float palette_row(float u);
int palette_rows(const Frame& frame, float width);
/// The pictures in rows; scrolls where there are more than fit.
void draw_palette(const Frame& frame, Rect area);

}  // namespace headlight
