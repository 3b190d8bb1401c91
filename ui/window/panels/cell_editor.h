// The slider that changes a number of the inputs or weights.
#pragma once

#include "ui/base/frame/frame.h"

namespace headlight {

/// A slider and a field if the cell can be edited; nothing for computed cells.
void draw_cell_editor(const Frame& frame, const Cell& cell);

}  // namespace headlight
