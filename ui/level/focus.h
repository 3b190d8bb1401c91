// Focus: the words that a person follows through all stages, and the cells that they mean.
#pragma once

#include "core/run/trace.h"
#include "core/stage/cell.h"
#include "ui/document/view.h"

namespace headlight {

/// The words that a person follows through the stages, and the feature within a head.
struct Focus {
  Index query = 0, key = 0, feature = 0;
  bool operator==(const Focus&) const = default;
};
/// As the view says, else the selected cell's, else where the last query looks most.
Focus focus_of(const Trace& trace, const View& view);
/// The same, but its key is the one under the pointer, where there is one.
Focus pointed_focus(const Trace& trace, const View& view);
/// The cell of a stage that the focus means, in the batch entry and head that are looked at.
Cell cell_of(const Trace& trace, const View& view, Stage stage, const Focus& focus);
/// The view with its focus on this cell's row and column.
View with_focus_on(View view, const Trace& trace, const Cell& cell);

/// The batch entry and head at which a stage is looked at, and its numbers there.
Cell matrix_of(const Trace& trace, const View& view, Stage stage);
MatrixView numbers_of(const Trace& trace, const View& view, Stage stage);

}  // namespace headlight
