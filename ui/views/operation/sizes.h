// Lengths in the pictures of operations, in points.
#pragma once

#include "ui/base/look/measure.h"

namespace headlight::operation {

/// The small map of the pipeline at the right end of a wide area.
struct MapSizes {
  static constexpr float from = 1100, room = 200, column = 172, widest = 168, narrowest = 110;
  static constexpr float pad = 9, layers = 10, least_layer = 8;
};

/// The button that hides a number, and the field for the guess.
struct GuessSizes {
  static constexpr float guess_from = 1000, beside_guess = 40, answer_width = 260, answer_height = 32;
};

/// The picture of the next word.
struct NextSizes {
  static constexpr float both_from = 900;  ///< the rows beside the table
  static constexpr float beside_rows = 40, rows_from = 200, row = 46, most_between_rows = 78;
  static constexpr float least_bar = 20;
  static constexpr float draw = 30, word = 24;  ///< as in ControlPad, of the button and the sentence's words
  static constexpr float dials = 62, dials_from_width = 760, dials_from_height = 420;
  static constexpr float between_dials = 30, longest_dial = 340, least_dial_height = 40;
};

}  // namespace headlight::operation
