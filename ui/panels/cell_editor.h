// Any cell of an input or a weight matrix can be set; everything downstream follows.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// Sets one number; a later edit of the same cell replaces the earlier. Asserts nothing: a cell outside is left out by
/// resolve(), which says so.
void set_cell(Scenario& scenario, const Cell& cell, float value);

/// A slider and a field for the cell's number where it can be set; nothing for what is computed.
void draw_cell_editor(const Frame& frame, const Cell& cell);

}  // namespace headlight
