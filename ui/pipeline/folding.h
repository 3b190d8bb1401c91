// Which stages share a place on the canvas: as few as leave every title whole.
#pragma once

#include <array>

#include "ui/pipeline/ruler.h"

namespace headlight {

/// One column of the three lanes on the left.
struct Column {
  std::array<Group, 3> lanes;
  float least = 0;  ///< its width
  float share = 0;  ///< of what is left over
  float gap = 0;    ///< behind it
};

/// A row of the right block.
struct Row {
  std::vector<Group> groups;
  std::vector<float> least;
  float gap = 0;    // between two
  float extra = 0;  // more behind the first, where heads stand behind it
  float width() const {
    float sum = extra + gap * static_cast<float>(std::max<std::size_t>(groups.size(), 1) - 1);
    for (const float each : least) sum += each;
    return sum;
  }
};

/// The columns of the left side and the rows of the right.
struct FoldedPipeline {
  std::vector<Column> columns;
  std::array<Row, 3> rows;

  float left_width() const;
  float right_width() const;
};

/// What fits into a canvas of this width, or the most folded of all.
FoldedPipeline fold_to_width(const Ruler& ruler, float width);

}  // namespace headlight
