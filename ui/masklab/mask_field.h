// The field for the mask expression. While it does not parse, a caret and a message show why, and the last valid mask
// stays.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// A field of full width, with the error below it.
void draw_mask_field(const Frame& frame, const char* id);
/// A slider for each number in the mask's patterns, "window: w"; it changes the expression.
void draw_pattern_sliders(const Frame& frame);
/// Their number; and all of them in a row at the cursor, each `width` wide.
int pattern_slider_count(const Frame& frame);
void draw_pattern_sliders_in_row(const Frame& frame, float width, float gap);
/// Sets the mask if the text parses, else keeps the text as View::mask_draft.
void type_mask(const Frame& frame, const std::string& text);

}  // namespace headlight
