// The field for the mask expression. While it does not parse, a caret and a message show why, and the last valid mask
// stays.
#pragma once

#include <string>

#include "ui/base/document/view_choices.h"
#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"

namespace headlight {

/// A field of full width. Its text becomes the mask with Enter, or when the field loses the keyboard. `trouble`:
/// whether the error of a text that does not parse is shown beside it, or beside another field that shows the same
/// text.
enum class Trouble : std::uint8_t { here, elsewhere };
void draw_mask_field(const Frame& frame, const char* id, Trouble trouble = Trouble::here);
/// A slider for each number in the mask's patterns, "window: w"; it changes the expression.
void draw_pattern_sliders(const Frame& frame);
/// Their number; and all of them in a row at the cursor, each `width` wide.
int pattern_slider_count(const Frame& frame);
void draw_pattern_sliders_in_row(const Frame& frame, float width, float gap);
/// Sets the mask if the text parses, else keeps the text as View::mask_draft.
void type_mask(const Frame& frame, const std::string& text);

/// The expression after a click on a pattern: "causal() && window(4)".
std::string combined(const std::string& old, const std::string& added, Combine how);

/// Draws the choice "A click: replaces | and | or | and not" at the cursor. Shift overrides it with or, Ctrl with and.
void draw_combine_choice(const Frame& frame);
/// Height of a row of pictures (lower ones if there is no room for two rows), and number of rows at this width.
float palette_row(float u, float room);
int palette_rows(const Frame& frame, float width, float row_height);
/// Draws the pictures in rows, scrolling if necessary.
void draw_palette(const Frame& frame, Rect area, float row_height);

}  // namespace headlight
