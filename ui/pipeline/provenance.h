// Marks and arcs over the pipeline's cards that show where the current number came from, or what depends on it. Plain
// geometry in canvas pixels.
#pragma once

#include <optional>
#include <vector>

#include "core/explain/explain.h"
#include "ui/pipeline/picture.h"

namespace headlight {

/// Cells of one matrix with a common outline.
struct SourceMark {
  Stage stage{};
  Rect rect;
};

/// An arc from a source's card to the cell: a curve between the cards, drawn beneath them so that it crosses no
/// numbers, then a straight line over the cell's own card, between two rows or columns.
struct ProvenanceArc {
  Stage from_stage{};                         ///< the stage whose lane colour it has
  ImVec2 from, from_control, to_control, to;  ///< a cubic Bézier from card edge to card edge
  ImVec2 enter, end;                          ///< the line over the card to the edge of the cell; it avoids the title
  float room = 0;                             ///< distance of the rows (columns) between which that line runs
  /// Whether it fits between labels and numbers, at `t` pixels per point; otherwise the arc ends at the card.
  bool reaches_in(float t) const { return room >= 15 * t; }
};

struct Provenance {
  std::vector<SourceMark> marks;
  std::vector<ProvenanceArc> arcs;
};

/// For the cell's direct sources, if the picture shows the cell.
Provenance make_provenance(const Trace& trace, const PipelinePicture& picture, const Cell& cell);

/// The rectangle of a cell, if the picture shows it.
std::optional<Rect> place_of(const Trace& trace, const PipelinePicture& picture, const Cell& cell);

/// For the current cell, whichever of the two the view shows, cached; empty without a cell.
const Provenance& provenance_picture(const Frame& frame, const PipelinePicture& picture);

}  // namespace headlight
