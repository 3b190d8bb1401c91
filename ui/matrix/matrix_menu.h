// What one can take away of a matrix: a menu on a right click, and a key for each line of it.
#pragma once

#include <span>

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// Opens the menu where the last item was clicked with the right button at `cell`, which is then the selected one.
void offer_matrix_menu(const Frame& frame, const std::optional<Cell>& cell);
/// A panel over the whole window; draws nothing while the menu is closed.
void draw_matrix_menu(const Frame& frame, Rect window);
/// Its shortcuts: what they take is the matrix of the cell that is looked at.
void press_matrix_keys(const Frame& frame);

}  // namespace headlight
