// The operation level: one stage fills the window, as a Scene. A product has its left operand at the left, the right
// one above and the result in the corner, with the sum of the chosen number growing term by term. Elementwise stages
// are rows above each other, with the words above; split and concat are moving columns; a rotation is turning pairs.
#pragma once

#include <optional>
#include <vector>

#include "ui/base/frame/frame.h"
#include "ui/base/timeline/timeline.h"
#include "ui/parts/scene/focus.h"
#include "ui/parts/scene/pen.h"
#include "ui/parts/scene/scene.h"
#include "ui/views/sentence/sentence.h"
#include "ui/views/sentence/story.h"

namespace headlight {

enum class OperationKind : std::uint8_t { input, product, split, merge, row, mask, softmax, dropout, norm, rotation };

/// How this stage is computed in this run.
OperationKind operation_of(const Trace& trace, Stage stage);
/// The previous stage that it is computed from; itself for an input.
Stage made_from(const Trace& trace, Stage stage);

/// How much of the stage is computed at the current moment.
struct Reveal {
  std::optional<float> share;  ///< of the stage's duration, if it is played as a whole
  Shown shown;                 ///< otherwise: row by row, or as products advance
  std::optional<Index> terms;  ///< computed terms of every sum, with ProductOrder::outer
  bool whole() const { return !share && !terms && shown.rows == Shown::all && shown.columns == Shown::all; }
};

/// Progress of the parts of a softmax, each 0…1, in order.
struct SoftmaxMade {
  float largest = 1, shifted = 1, powers = 1, sum = 1, shares = 1;
};
SoftmaxMade softmax_made(const Reveal& reveal, Index query);
/// The share of the stage's duration at which this moment occurs.
float softmax_share(Moment::Kind kind);

/// Whether the run has queries, keys and scores, which the journey and the geometry show.
bool has_facets(const Trace& trace);
/// One word's row from its embedding on: its query meets every key, scores become weights, and the values are mixed.
/// With a rival, both dot products term by term.
Scene make_journey(const SceneContext& context, const std::vector<Guess>& next, Rect place);
/// Queries and keys of the head as arrows in a plane: scores as lengths times a cosine.
Scene make_geometry(const SceneContext& context, Rect place);
/// Whether the gradients of a loss through the run's network are known.
bool has_gradients(const Trace& trace);
/// The place of the gradients among the tabs of facets, behind all of them.
inline constexpr std::size_t gradients_tab = 5;
/// The temperature that corresponds to the scale (1 for 1/√d_head), and the temperature at a position of its slider.
double temperature_of(const Trace& trace);
double temperature_at(const Trace& trace, float share);

/// `place`: the canvas, in screen pixels.
Scene make_operation(const SceneContext& context, Stage stage, const Reveal& reveal, Rect place);

/// The stage beside its gradient; the context's trace has the gradients.
Scene make_gradients(const SceneContext& context, Stage stage, Rect place);
/// Its chosen cell.
Cell cell_of_gradient(const Trace& gradients, const View& view, Stage stage);

/// Keys, in every view: J shows the followed word's journey, G the geometry; pressed again, the step.
void press_facet_keys(const Frame& frame);
/// Whether the pressed object is being dragged.
bool drags_in_operation(const Frame& frame);
/// If the next word is shown and can be drawn, draws and appends it; returns whether it did.
bool write_next_word(const Frame& frame);
/// The scene as it was drawn last; null if it was not.
const Scene* last_operation_scene(const Frame& frame);
/// The current one, in `place`, cached.
const Scene& operation_scene(const Frame& frame, Rect place);
/// Draws it and handles the pointer.
void draw_operation_view(const Frame& frame, Rect place);

/// The row under every step of what can be removed from the layer to see its effect (the mask, the division by √d, the
/// head, the order of two words), with the next words that the network then predicts. Whether there is room for it, and
/// a next word.
bool has_breaks(const SceneContext& context, const SentenceStory& story, Rect place);
/// The part of `place` above that row, which stands at its foot.
Rect without_breaks(const SceneContext& context, Rect place);
void put_breaks(Pen& pen, const SentenceStory& story, bool can_swap, Rect place);
/// Whether the two followed words can be swapped.
bool can_swap_words(const Frame& frame);
/// Removes it, or restores it: the index of a target of SceneAction::knock_out.
void take_away(const Frame& frame, Index which);

}  // namespace headlight
