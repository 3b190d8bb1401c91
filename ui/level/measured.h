// What a head brings to one word from each other, and the choice of what is shown of it (View::measure).
#pragma once

#include <vector>

#include "ui/level/pen.h"

namespace headlight {

/// One query's row of what a head brings.
struct BroughtRow {
  std::vector<float> lengths;  ///< of contribution_norms
  std::vector<float> shares;   ///< of their sum; zeros where nothing is brought
  float sum = 0;
  float most = 0;  ///< the length at the upper end of the colours (stage_range), and of a bar of full height
};
/// Of a trace with contribution_norms.
BroughtRow brought_row(const Trace& trace, const View& view, Index query);
/// "2.3": a length.
std::string length_text(float length);

/// The choice between the measures, its left end at room.min; gives the width that it takes, 0 where it does not fit or
/// the trace has nothing to choose from.
float put_measures(Pen& pen, Rect room);

}  // namespace headlight
