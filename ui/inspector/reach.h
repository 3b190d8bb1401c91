// What a cell reaches: the cells of the next stages that it is a term of.
#pragma once

#include <vector>

#include "core/explain/explain.h"
#include "ui/document/view.h"

namespace headlight {

/// The cells of the next stages that a cell is a term of; of self-attention's key, which stands for all three inputs,
/// as query and as value too.
std::vector<Region> reach_of(const Trace& trace, const Cell& cell);
/// Whether the marks are to be of the cells that it reaches: as the view says, and where it came from nothing.
bool shows_reach(const View& view, const Trace& trace, Stage stage);

}  // namespace headlight
