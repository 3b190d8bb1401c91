// The context menu of a matrix: copying and saving, each with a shortcut.
#pragma once

#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"

namespace headlight {

/// Opens the menu if the last item was right-clicked at `cell`, which becomes selected.
void offer_matrix_menu(const Frame& frame, const std::optional<Cell>& cell);
/// Draws the menu while it is open.
void draw_matrix_menu(const Frame& frame, Rect window);
/// Its shortcuts, which act on the matrix of the current cell.
void press_matrix_keys(const Frame& frame);

}  // namespace headlight
