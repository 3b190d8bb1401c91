// What a head brings to one word from each other (contribution norms), and the switch between the measures
// (View::measure).
#pragma once

#include <vector>

#include "ui/level/pen.h"

namespace headlight {

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

/// Draws the switch with its left end at room.min; returns its width, 0 if it does not fit or the trace has no
/// contribution norms.
float put_measures(Pen& pen, Rect room);

}  // namespace headlight
