// The mask's text, live: while it does not parse, a caret and a sentence say why and the last good mask stays.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// The expression as a field over the full width, with what is wrong about it below.
void draw_mask_field(const Frame& frame, const char* id);
/// A slider for each number of the patterns in the mask, "window: w"; each writes itself into the text.
void draw_pattern_sliders(const Frame& frame);
/// How many they are, and the same in one row at the cursor, each of `width`.
int pattern_slider_count(const Frame& frame);
void draw_pattern_sliders_in_row(const Frame& frame, float width, float gap);
/// Takes the text over where it parses, else keeps it as View::mask_draft.
void type_mask(const Frame& frame, const std::string& text);

}  // namespace headlight
