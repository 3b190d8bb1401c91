// The operation level: one step of attention fills the window.
//
// A product stands as the product it is (left operand at the left, right one above, result in the corner) with the sum of
// the chosen number growing term by term; what is done number by number stands as rows over one another, under their
// words; split and concat as columns on their way; a rotation as turning pairs. All of it is plain data, a Scene.
#pragma once

#include <optional>

#include "ui/level/focus.h"
#include "ui/level/pen.h"
#include "ui/timeline/timeline.h"

namespace headlight {

enum class OperationKind : std::uint8_t { input, product, split, merge, row, mask, softmax, dropout, norm, rotation };

/// What is done to make this stage in this run.
OperationKind operation_of(const Trace& trace, Stage stage);
/// The stage before it that its numbers are made from; itself for an input.
Stage made_from(const Trace& trace, Stage stage);

/// How much of the stage is there yet.
struct Reveal {
  std::optional<float> share;  ///< of the time that the stage takes, where it is played as one
  Shown shown;                 ///< else row by row, or as products advance
  std::optional<Index> terms;  ///< of every sum, where they grow together
  bool whole() const { return !share && !terms && shown.rows == Shown::all && shown.columns == Shown::all; }
};

/// `place` is the canvas, in pixels of the screen.
Scene make_operation(const Easel& easel, Stage stage, const Reveal& reveal, Rect place);

}  // namespace headlight
