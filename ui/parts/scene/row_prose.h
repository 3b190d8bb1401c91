// One row of weights: in words ("cat 0.62, the 0.22, sat 0.06 … and 3 more, together 0.10"), and what a head brings to
// the query from each key (contribution norms).
#pragma once

#include <vector>

#include "ui/parts/scene/pen.h"

namespace headlight {

/// The translation key and its values: the words with the largest shares, and the sum of the rest, computed here from
/// the row. Empty if fewer than two keys have any share, or if the row has a NaN.
struct RowProse {
  const char* key = nullptr;
  std::vector<Named> values;
};
RowProse row_prose(const SceneContext& context, Index query);

/// One query's contribution norms.
struct ContributionRow {
  std::vector<float> lengths;  ///< contribution_norms
  std::vector<float> shares;   ///< lengths divided by their sum; zeros if the sum is 0
  float sum = 0;
  float most = 0;  ///< the length at the upper end of the colours (stage_range), and of a full bar
};
/// The trace must have contribution_norms.
ContributionRow contribution_row(const Trace& trace, const View& view, Index query);
/// A length as text: "2.3".
std::string length_text(float length);

/// Draws the switch between the measures (View::measure) with its left end at room.min; returns its width, 0 if it does
/// not fit or the trace has no contribution norms.
float put_measures(Pen& pen, Rect room);

}  // namespace headlight
