// Editing a cell of an input or a weight matrix; everything downstream follows.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// A slider and a field, if the cell can be edited; nothing for computed cells.
void draw_cell_editor(const Frame& frame, const Cell& cell);

}  // namespace headlight
