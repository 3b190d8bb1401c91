// Where the cards of the heads view stand: a grid that makes them as large as the space allows. Plain geometry.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// `count` equal cards in `box`, row by row, none overlapping, in the number of columns that makes the matrix in them,
/// `aspect` wide to high, the largest. `gap` pixels between cards; `header` pixels of a card are not its matrix.
std::vector<Rect> lay_out_heads(Index count, Rect box, float aspect, float gap, float header);

}  // namespace headlight
