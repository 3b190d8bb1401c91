// Lengths in the picture of a training run, in points.
#pragma once

#include "ui/base/look/measure.h"

namespace headlight {

/// The curve with its labels, and the pictures of heads.
struct TrainSizes {
  static constexpr RoomShare curve{0.36f, 110, 420}, answers{0.3f, 210, 460};
  static constexpr float knob = 7, knob_inside = 5.5f, guess = 6;  ///< radii
  static constexpr float dash = 5, least_step = 1.5f, label_below = 11;
  static constexpr float least_in_strip = 54, largest_in_strip = 190, least_in_grid = 10, largest_in_grid = 240;
  static constexpr float gaps_from = 7, error_below = 40;
};

/// The invitation to train.
struct TrainInvitation {
  static constexpr float width = 520, above = 28, title = 38;
  static constexpr RoomShare pattern{0.28F, 60, 220};
};

}  // namespace headlight
