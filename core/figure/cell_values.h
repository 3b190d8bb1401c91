// Numbers in cells: as many digits as fit, the same for all of a figure, in ink that can be read on the cell's colour.
#pragma once

#include "core/figure/figure_layout.h"

namespace headlight {

/// Fills layout.inside: one label for each cell, and layout.boxes: a plate under labels on a pattern. Nothing if the
/// spec asks for no values or if a sign and a digit do not fit.
void write_values(const FigureSpec& spec, const Colormap& map, Typesetter& typesetter, FigureLayout& layout);

}  // namespace headlight
