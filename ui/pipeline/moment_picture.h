// What a moment of the player shows that is in no stage of the trace: sums after some terms, a softmax on its way,
// columns travelling to their heads. Computed once a moment.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/pipeline/picture.h"
#include "ui/timeline/timeline.h"

namespace headlight {

/// A head's columns between two cards.
struct Traveller {
  MatrixQuad quad;   ///< without its corners
  Rect rect;         ///< canvas pixels
  ImU32 colour = 0;  ///< the head's
};

struct MomentPicture {
  HeatPicture heat;               ///< in place of the stage's own; no rows where the stage shows itself
  std::string caption;            ///< "3 of 16 terms", "e^(s − max)"; in place of the card's shape
  std::vector<std::string> sums;  ///< a row's, beside it
  std::vector<Rect> sources;      ///< canvas pixels: the terms' columns and rows in the operands
  std::vector<Traveller> travellers;
};

/// Of the pipeline's picture as it is now.
MomentPicture make_moment_picture(const Frame& frame, const PipelinePicture& picture);

/// The stage that is on its way at this moment, where its card does not show the stage's own numbers.
std::optional<Stage> stage_on_its_way(const Frame& frame);

/// The same, kept.
const MomentPicture& moment_picture(const Frame& frame, const PipelinePicture& picture);

}  // namespace headlight
