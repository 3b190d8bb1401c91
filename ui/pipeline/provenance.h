// Where the looked-at number came from, or what it reaches, as marks and arcs over the pipeline's cards. Plain geometry
// in canvas pixels.
#pragma once

#include <optional>
#include <vector>

#include "core/explain/explain.h"
#include "ui/pipeline/picture.h"

namespace headlight {

/// Cells of one matrix, outlined together.
struct SourceMark {
  Stage stage{};
  Rect rect;
};

/// From a source's card to the cell: first outside of the cards (drawn beneath them, so that it never crosses a
/// number), then over the cell's own card, along the line between two rows or two columns.
struct ProvenanceArc {
  Stage from_stage{};                         ///< whose lane colour it wears
  ImVec2 from, from_control, to_control, to;  ///< card edge to card edge, a cubic Bézier
  ImVec2 enter, end;  ///< on over the matrix to the edge of the cell; a title on the way stays free
  float room = 0;     ///< between the middles of the rows (columns) that this last stretch runs between
  /// Names and numbers leave it room, in `t` pixels per point; else the arc ends at the card.
  bool reaches_in(float t) const { return room >= 15 * t; }
};

struct Provenance {
  std::vector<SourceMark> marks;
  std::vector<ProvenanceArc> arcs;
};

/// Of the sources (one step back) that the picture shows. A cell that it does not show has none.
Provenance make_provenance(const Trace& trace, const PipelinePicture& picture, const Cell& cell);

/// The other way round: marks on what a cell reaches. Arcs wear the colour of where they go.
Provenance make_reach(const Trace& trace, const PipelinePicture& picture, const Cell& cell);
/// Where the picture shows a cell, if it does.
std::optional<Rect> place_of(const Trace& trace, const PipelinePicture& picture, const Cell& cell);

/// Of the looked-at cell, whichever of the two the view wants, kept; empty where nothing is looked at.
const Provenance& provenance_picture(const Frame& frame, const PipelinePicture& picture);

}  // namespace headlight
