// Numbers in cells: as many digits as fit, the same for all of a figure, in ink that can be read on the cell's colour.
#pragma once

#include "core/figure/figure_layout.h"

namespace headlight {

/// Fills layout.inside: one label a cell, and layout.boxes: a plate under what stands on a pattern. Nothing where the
/// spec asks for none or not even a sign and a digit fits.
void write_values(const FigureSpec& spec, const Colormap& map, Typesetter& typesetter, FigureLayout& layout);

}  // namespace headlight
