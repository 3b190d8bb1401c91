// The map: one matrix from an overview down to single cells. The wheel zooms, dragging moves; the picture sharpens as
// tiles are computed.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

void draw_map_view(const Frame& frame, Rect place);

/// G gives the keyboard to the "go to" field.
void press_map_keys(const Frame& frame);

/// "70000, 69000", or one number for both. Throws InputError.
std::pair<Index, Index> parse_place(std::string_view text, Index rows, Index cols);

}  // namespace headlight
