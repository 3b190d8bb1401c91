// Arcs: the words of the queries on the left, of the keys on the right, and a line for each weight between them, as
// strong as the weight. Plain data, in units.
#pragma once

#include "core/figure/figure_layout.h"

namespace headlight {

/// A figure of one or several panels of arcs.
FigureLayout lay_out_arcs(const FigureSpec& spec, const std::vector<ValueRange>& ranges, Typesetter& typesetter);

}  // namespace headlight
