// Numbers in cells: as many digits as fit, the same for all of a figure, in ink that can be read on the cell's colour.
#pragma once

#include <vector>

#include "core/figure/figure_layout.h"

namespace headlight {

/// Black-on-white or white-on-black, whichever contrasts more with `ground`.
Rgba ink_on(Rgba ground);

/// One label a cell; none where the spec asks for none or not even a sign and a digit fits.
std::vector<Label> cell_values(const FigureSpec& spec, const FigureLayout& layout, const Colormap& map,
                               Typesetter& typesetter);

}  // namespace headlight
