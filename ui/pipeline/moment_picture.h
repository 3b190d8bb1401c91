// What the step player shows in place of a stage's own numbers: partial sums, a softmax in progress, columns moving to
// their heads. Computed once per moment.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/pipeline/picture.h"
#include "ui/timeline/timeline.h"

namespace headlight {

/// A head's columns moving between two cards.
struct Traveller {
  MatrixQuad quad;   ///< without corners
  Rect rect;         ///< canvas pixels
  ImU32 colour = 0;  ///< the head's colour
};

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

}  // namespace headlight
