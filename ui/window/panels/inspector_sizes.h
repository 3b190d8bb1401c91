// Lengths in the inspector's column, in points.
#pragma once

#include "ui/base/look/measure.h"

namespace headlight {

struct InspectorSizes {
  static constexpr float arrow = 15;  ///< after a crumb
  static constexpr float least_term = 43, cell_height = 19, closing_number = 76;
  static constexpr float direction_height = 17;
  static constexpr float row_name = 66, row_number = 62, bar_height = 9;
  static constexpr float formula = 28, caption = 60, formula_room = 96;  ///< from the top of the formula's section
};

}  // namespace headlight
