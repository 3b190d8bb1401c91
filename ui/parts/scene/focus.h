// Focus: the query and key words that are followed through all stages, and the corresponding cells.
#pragma once

#include "core/compute/run/trace.h"
#include "core/rules/stage/stage.h"
#include "ui/base/document/view.h"

namespace headlight {

/// The followed query and key, and an index within the head.
struct Focus {
  Index query = 0, key = 0, feature = 0;
  bool operator==(const Focus&) const = default;
};
/// The view's choice, else the selected cell's, else the asked word (asked_query()) with its largest weight.
Focus focus_of(const Trace& trace, const View& view);
/// The same, with the key under the pointer if there is one.
Focus pointed_focus(const Trace& trace, const View& view);
/// The cell of a stage for this focus, in the current batch entry and head.
Cell cell_of(const Trace& trace, const View& view, Stage stage, const Focus& focus);
/// The view with its focus on this cell's row and column.
View with_focus_on(View view, const Trace& trace, const Cell& cell);

/// The current batch entry and head of a stage, and its numbers there.
Cell matrix_of(const Trace& trace, const View& view, Stage stage);
MatrixView numbers_of(const Trace& trace, const View& view, Stage stage);

}  // namespace headlight
