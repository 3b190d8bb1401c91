// Editing a cell of an input or a weight matrix; everything downstream follows.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// Sets one number, replacing an earlier edit of the same cell. Not checked: resolve() leaves out cells that do not
/// exist, and says so.
void set_cell(Scenario& scenario, const Cell& cell, float value);

/// A slider and a field, if the cell can be edited; nothing for computed cells.
void draw_cell_editor(const Frame& frame, const Cell& cell);

}  // namespace headlight
