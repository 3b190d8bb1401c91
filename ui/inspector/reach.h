// The cells that depend on a cell.
#pragma once

#include <vector>

#include "core/explain/explain.h"
#include "ui/document/view.h"

namespace headlight {

/// The regions of the next stages that depend on a cell. In self-attention `key` stands for all three inputs.
std::vector<Region> reach_of(const Trace& trace, const Cell& cell);
/// Whether dependent cells are marked instead of sources: if the view says so, or if the stage has no sources.
bool shows_reach(const View& view, const Trace& trace, Stage stage);

}  // namespace headlight
