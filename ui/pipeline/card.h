// Lays out one card of the pipeline: matrix, title, words, notes and colour bar.
#pragma once

#include "ui/pipeline/picture.h"

namespace headlight {

/// The size of a matrix in `box`. Cells may be stretched by this factor at most; very long matrices get a minimum size
/// instead, so that they can be seen and clicked.
ImVec2 fit_cells(Index rows, Index cols, ImVec2 box, float stretch);

/// The card of a slot, as small as its matrix allows; `type` is the factor of its font sizes.
CardPicture make_card(const Frame& frame, const Slot& slot, float type);
/// Adds the shape, axis names (if `named`), how the matrix is sampled, and the counts, as far as they fit; `t`: pixels
/// per point.
void write_notes(const Frame& frame, CardPicture& card, bool named, float t);

}  // namespace headlight
