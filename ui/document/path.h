// The path from one number back through its sources (View::path); the selected cell is its last.
#pragma once

#include <span>

#include "core/run/trace.h"
#include "ui/document/view.h"

namespace headlight {

/// Selects a cell of the trace, with its batch entry and head.
View look_at(View view, const Trace& trace, const Cell& cell);
/// The path that leads to the selected cell; empty if it was selected directly or the trace has changed.
std::span<const Cell> path_of(const View& view, const Trace& trace);
/// Selects `source` and appends it to the path. `from` is the current selection.
View follow(View view, const Trace& trace, const Cell& from, const Cell& source);
/// Returns to cell number `step` of the path.
View go_back(View view, const Trace& trace, std::size_t step);

}  // namespace headlight
