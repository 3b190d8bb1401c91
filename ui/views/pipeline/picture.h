// The pipeline view as plain data, computed once for a trace, a view and a size; ui/views/pipeline/pipeline_scene.h
// makes a scene of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/figures/figure/ticks.h"
#include "ui/base/document/view.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"
#include "ui/base/timeline/timeline.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/scene/card_notes.h"
#include "ui/views/pipeline/layout.h"

namespace headlight {

// Font sizes of subtitles and of the ends of colour bars.
inline constexpr float note_points = TypeSize::body;
inline constexpr float subtitle_points = TypeSize::body;
inline constexpr float end_points = TypeSize::note;
inline constexpr float label_points = TypeSize::note;  ///< labels of rows and columns, shapes
// Of a card, in points: beside its matrix; above it.
inline constexpr float card_pad = 8, card_header = 24;

/// One of the measures that the card of the weights can show: a click chooses it.
struct MeasurePart {
  HeadMeasure measure{};
  Rect rect;
  std::string words;
  bool chosen = false;
};

struct CardPicture {
  Stage stage{};
  Rect card;
  ImU32 colour = 0;  ///< the title's, the lane colour
  ImU32 border = 0;  ///< 0: the usual border
  int behind = 0;    ///< number of cards of other heads behind it
  std::string title, symbol, shape;
  std::string reading;         ///< how a matrix with more cells than pixels is sampled; "" if it has no more
  bool reading_below = false;  ///< on a line of its own below the shape
  std::string shape_hint;      ///< the meaning of rows and columns: "n_q 6: queries · d_head 4: channels of a head"
  std::string subtitle;        ///< "head 2, batch entry 1", for a wide card of heads
  Face title_face = Face::bold;
  std::vector<Stage> folded;          ///< the stages that share the card; empty if none does
  std::vector<MeasurePart> measures;  ///< beside the title of the weights, where they fit
  std::vector<HeatPicture> heats;     ///< the matrix; for a weight matrix also its bias; three of packed weights
  std::vector<CountNote> counts;      ///< numbers of masked and other special cells
  RowStrip strip;                     ///< row statistics beside the weights, if there is room
  std::string lo, hi;                 ///< ends of the colour bar
  std::vector<BarTick> ticks;         ///< between the ends of a long bar
  Rect notes;                         ///< shape and counts: above the bar or beside the title
  bool labelled = false;              ///< rows and columns are labelled
};

struct ThumbnailPicture {
  Rect card;
  Index head = 0;
  std::string number;  ///< the head's number, if it fits
  HeatPicture heat;
};

struct PipelinePicture {
  PipelineLayout layout;
  std::vector<CardPicture> cards;
  std::vector<ThumbnailPicture> thumbnails;
  std::string note;  ///< in layout.note: that numbers are random
  ImVec2 size;
};

/// Whether W_q, W_k and W_v are shown as one matrix: as the view says, else as the file has them.
bool shows_packed(const Frame& frame);

/// "384 × 128", or "384×128" if only that fits into `width` with type of `pixels`; "" if neither does.
std::string size_text(const Frame& frame, Index rows, Index cols, float width, float pixels);
/// "n_q 6 × d_head 4", as far as it fits into `width` with type of `pixels`; without axis names "6 × 4".
std::string shape_text(const Frame& frame, Stage stage, float width, float pixels, bool named = true);

/// use(which stages the shared cards show…, also…)
template <typename Use, typename... Keys>
auto& keyed_by_cards(const Frame& frame, const Use& use, const Keys&... also) {
  const View& view = frame.view();
  return use(view.packed, view.measure, view.brought_forward, view.brought_forward_beside == view.selected,
             view.selected ? std::optional(view.selected->stage) : std::nullopt,
             view.step ? std::optional(frame.timeline.at(*view.step).stage) : std::nullopt, also...);
}

/// Frame::kept() and kept_at() for pictures that also depend on which stages the shared cards show.
template <typename Make, typename... Keys>
auto& picture_of_cards(const Frame& frame, const Make& make, const Keys&... also) {
  return keyed_by_cards(
      frame, [&](const auto&... parts) -> auto& { return frame.kept(make, parts...); }, also...);
}
template <typename At, typename Make, typename... Keys>
auto& picture_of_cards_at(const Frame& frame, const At& at, const Make& make, const Keys&... also) {
  return keyed_by_cards(
      frame, [&](const auto&... parts) -> auto& { return frame.kept_at(at, make, parts...); }, also...);
}

/// The picture, cached; scenes share its heatmaps.
const std::shared_ptr<const PipelinePicture>& pipeline_picture(const Frame& frame, ImVec2 size);

/// The size of a matrix in `box`. Cells may be stretched by this factor at most; very long matrices get a minimum size
/// instead, so that they can be seen and clicked.
ImVec2 fit_cells(Index rows, Index cols, ImVec2 box, float stretch);

/// Whether colours over the columns say which head each belongs to.
inline bool has_head_strips(Stage stage) {
  return stage == Stage::Q || stage == Stage::K || stage == Stage::V || stage == Stage::concat;
}
/// The card of a slot, as small as its matrix allows; `type` is the factor of its font sizes.
CardPicture make_card(const Frame& frame, const Slot& slot, float type);
/// Adds the shape, axis names (if `named`), how the matrix is sampled, and the counts, as far as they fit; `t`: pixels
/// per point.
void write_notes(const Frame& frame, CardPicture& card, bool named, float t);

/// A head's columns moving between two cards.
struct Traveller {
  MatrixQuad quad;   ///< without corners
  Rect rect;         ///< canvas pixels
  ImU32 colour = 0;  ///< the head's colour
};

/// What the step player shows in place of a stage's own numbers: partial sums, a softmax in progress, columns moving to
/// their heads. Computed once per moment.
struct MomentPicture {
  HeatPicture heat;               ///< replaces the stage's heatmap; no rows if the stage is shown as it is
  std::string caption;            ///< "3 of 16 terms", "e^(s − max)"; replaces the card's shape
  std::vector<std::string> sums;  ///< of each row, beside it
  std::vector<Rect> sources;      ///< the terms' columns and rows in the operands, canvas pixels
  std::vector<Traveller> travellers;
};

/// The stage in progress at this moment, if its card shows other numbers than the stage's own.
std::optional<Stage> stage_on_its_way(const Frame& frame);

/// The same, cached.
const MomentPicture& moment_picture(const Frame& frame, const PipelinePicture& picture);

/// Cells of one matrix with a common outline.
struct SourceMark {
  Stage stage{};
  Rect rect;
};

/// An arc from a source's card to the cell: a curve between the cards, drawn beneath them so that it crosses no
/// numbers, then a straight line over the cell's own card, between two rows or columns.
struct ProvenanceArc {
  Stage from_stage{};                         ///< the stage whose lane colour it has
  static constexpr float least_row = 15;      ///< points between the rows that have room for the line over the card
  ImVec2 from, from_control, to_control, to;  ///< a cubic Bézier from card edge to card edge
  ImVec2 enter, end;                          ///< the line over the card to the edge of the cell; it avoids the title
  float room = 0;                             ///< distance of the rows (columns) between which that line runs
  /// Whether it fits between labels and numbers, at `t` pixels per point; otherwise the arc ends at the card.
  bool reaches_in(float t) const { return room >= least_row * t; }
};

/// Marks and arcs over the cards that show where the current number came from, or what depends on it. Plain geometry in
/// canvas pixels.
struct Provenance {
  std::vector<SourceMark> marks;
  std::vector<ProvenanceArc> arcs;
};

/// The marks and arcs of the cell's direct sources; empty if the picture does not show the cell.
Provenance make_provenance(const Trace& trace, const PipelinePicture& picture, const Cell& cell);

/// The place of words beside a vertical arrow: `words`, or the same place on the arrow's other side if an arc crosses
/// only the first.
Rect clear_of_arcs(const Provenance& provenance, const Arrow& arrow, const Rect& words);

/// The rectangle of a cell, if the picture shows it.
std::optional<Rect> place_of(const Trace& trace, const PipelinePicture& picture, const Cell& cell);

/// The sources of the current cell, or the cells that depend on it, as the view says; cached; empty without a cell.
const Provenance& provenance_picture(const Frame& frame, const PipelinePicture& picture);

}  // namespace headlight
