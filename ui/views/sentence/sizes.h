// Lengths in the pictures of a sentence, in points.
#pragma once

#include "ui/base/look/measure.h"

namespace headlight {

/// The parts of the view.
struct SentenceSizes {
  static constexpr RoomShare rail{0.156f, 164, 270}, prediction{0.2f, 200, 350}, second_picture{0.235f, 240, 420};
  static constexpr RoomShare side_margin{0.035f, 14, 54}, upper_margin{0.035f, Space::card, 30};
  static constexpr RoomShare bars{0.2f, 36, 110};
  static constexpr float rail_from = 760, next_from = 900, measures_from = 140;
  static constexpr float bars_of_many_rows = 44, between_rows = 34, over_row = 150;
};

/// Words in lines with arcs above them and bars below.
struct WordLineSizes {
  static constexpr float narrow = 700, largest_type = 34;
  static constexpr float spread = 22;  ///< between the words of a short sentence
  static constexpr float thickest_arc = 14, thinnest_arc = 1.2f, least_reach = 30, half_loop = 30, highest_loop = 56;
  static constexpr float half_bar = 15, least_bar = 1.5f, least_hollow = 3;
};

/// The picture with its patches, and a second one beside it.
struct PatchSizes {
  static constexpr float least = 40, least_second = 96, both_from = 420, between = 32;
  static constexpr float colour_bar = 29, opacity = 30, least_slider = 60, hint_pad = 7;
};

}  // namespace headlight
