// The operation level: one step of attention fills the window.
//
// A product stands as the product it is (left operand at the left, right one above, result in the corner) with the sum
// of the chosen number growing term by term; what is done number by number stands as rows over one another, under their
// words; split and concat as columns on their way; a rotation as turning pairs. All of it is plain data, a Scene.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/level/focus.h"
#include "ui/level/pen.h"
#include "ui/timeline/timeline.h"

namespace headlight {

enum class OperationKind : std::uint8_t { input, product, split, merge, row, mask, softmax, dropout, norm, rotation };

/// What is done to make this stage in this run.
OperationKind operation_of(const Trace& trace, Stage stage);
/// The stage before it that its numbers are made from; itself for an input.
Stage made_from(const Trace& trace, Stage stage);

/// How much of the stage is computed at the moment that is shown.
struct Reveal {
  std::optional<float> share;  ///< of the time that the stage takes, where it is played as one
  Shown shown;                 ///< else row by row, or as products advance
  std::optional<Index> terms;  ///< of every sum, where they grow together
  bool whole() const { return !share && !terms && shown.rows == Shown::all && shown.columns == Shown::all; }
};

/// How far a softmax is at a moment, each of its parts from 0 to 1, in the order in which they are made.
struct SoftmaxMade {
  float largest = 1, shifted = 1, powers = 1, sum = 1, shares = 1;
};
SoftmaxMade softmax_made(const Reveal& reveal, Index query);
/// The share of its time at which this moment of it is made.
float softmax_share(Moment::Kind kind);

/// What a network says next, beside a word's journey.
struct NextWord {
  std::string word;
  double probability = 0;
  double before = -1;  ///< as the network is, where something of it is changed; −1: the same
};

/// Whether the run has what the journey and the geometry show: queries, keys and scores.
bool has_facets(const Trace& trace);
/// One word's row from its embedding on: its query meets every key, scores become shares, and the values mix by them.
/// With a rival, the two dot products term by term.
Scene make_journey(const SceneContext& context, const std::vector<NextWord>& next, Rect place);
/// Queries and keys of the head as arrows in a plane: scores as lengths times a cosine.
Scene make_geometry(const SceneContext& context, Rect place);
/// The temperature that the scale amounts to, 1 for 1/√d_head, and back; at a place between the ends of its slider.
double temperature_of(const Trace& trace);
double temperature_at(const Trace& trace, float share);

/// `place` is the canvas, in pixels of the screen.
Scene make_operation(const SceneContext& context, Stage stage, const Reveal& reveal, Rect place);

}  // namespace headlight
