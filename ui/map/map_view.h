// The map: one matrix from the whole of it to single cells, as a map of a country: the wheel zooms, dragging moves,
// what is in sight sharpens as it is computed.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_map_view(const Frame& frame, Rect place);

/// G: the field for a place gets the keyboard.
void press_map_keys(const Frame& frame);

/// "70000, 69000", or one number for both. Throws InputError.
std::pair<Index, Index> parse_place(std::string_view text, Index rows, Index cols);

}  // namespace headlight
