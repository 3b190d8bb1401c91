// The way from one number back through its sources: View::path, whose last cell is the selected one.
#pragma once

#include <span>

#include "core/run/trace.h"
#include "ui/document/view.h"

namespace headlight {

/// Looks at a cell of the trace, in its batch entry and head.
View look_at(View view, const Trace& trace, const Cell& cell);
/// The path that leads to the selected cell; empty where it was selected in another way, or a new trace cut it off.
std::span<const Cell> path_of(const View& view, const Trace& trace);
/// Looks at `source`, in its batch entry and head, and lengthens the path by it. `from` is what is looked at now.
View follow(View view, const Trace& trace, const Cell& from, const Cell& source);
/// Back to the `step`th cell of the path.
View go_back(View view, const Trace& trace, std::size_t step);

}  // namespace headlight
