// Lengths in the comparison of two runs, in points.
#pragma once

#include "ui/base/look/measure.h"

namespace headlight {

/// The large panels: A, B and B − A.
struct ComparedPanel {
  static constexpr float title = 32, foot = 28, names = 20;
};

/// The names beside the rows of a panel, and the columns that have names below.
struct ComparedNames {
  static constexpr float most = 110, columns = 10;
};

/// The picture: above and below the panels, the rows of small matrices, and the heading with the lines below it.
struct CompareParts {
  static constexpr float title = 26, foot = 40, both = title + foot, least_panels = 170;
  static constexpr float slices = 86, summary = 34;
  static constexpr RoomShare tiles{0.34f, 128, 260};
};

/// B − A of a batch entry and head.
struct ComparedSlice {
  static constexpr float side = 56;
};

/// A stage's tile; in a low one the matrix is beside the number.
struct ComparedTile {
  static constexpr float gap = 8, narrowest = 116, widest = 170, lowest = 56, low = 96, highest = 190;
  static constexpr float title = 25, number = 19;
};

}  // namespace headlight
