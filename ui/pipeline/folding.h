// Which stages share a card: as few as possible while all titles fit.
#pragma once

#include <array>

#include "ui/pipeline/ruler.h"

namespace headlight {

/// A column of the three lanes on the left.
struct Column {
  std::array<Group, 3> lanes;
  float least = 0;  ///< its minimum width
  float share = 0;  ///< of the remaining width
  float gap = 0;    ///< space after it
};

/// A row of the block on the right.
struct Row {
  std::vector<Group> groups;
  std::vector<float> least;
  float gap = 0;    // space between groups
  float extra = 0;  // extra space after the first group, for the stack of heads
  float width() const {
    float sum = extra + gap * static_cast<float>(std::max<std::size_t>(groups.size(), 1) - 1);
    for (const float each : least) sum += each;
    return sum;
  }
};

/// Columns of the left side and rows of the right side.
struct FoldedPipeline {
  std::vector<Column> columns;
  std::array<Row, 3> rows;

  float left_width() const;
  float right_width() const;
};

/// The least folded layout that fits this width, else the most folded.
FoldedPipeline fold_to_width(const Ruler& ruler, float width);

}  // namespace headlight
