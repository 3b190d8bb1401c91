// The palette: every pattern as a small picture to click.
#pragma once

#include <string>

#include "ui/document/view_choices.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// The expression after a click on a pattern: "(causal()) && (window(4))".
std::string combined(const std::string& old, const std::string& added, Combine how);

/// Draws the choice "A click: replaces | and | or | and not" at the cursor. Shift overrides it with or, Ctrl with and.
void draw_combine_choice(const Frame& frame);
/// Height of a row of pictures, and number of rows at this width.
float palette_row(float u);
int palette_rows(const Frame& frame, float width);
/// Draws the pictures in rows, scrolling if necessary.
void draw_palette(const Frame& frame, Rect area);

}  // namespace headlight
