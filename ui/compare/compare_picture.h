// The compare view, computed once for two traces, a view and a size: A, B and B − A of one stage, and small pictures of
// B − A for the others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/difference.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"
#include "ui/matrix/heat.h"

namespace headlight {

struct ComparePanel {
  Rect card;
  std::string title;
  HeatPicture heat;
};

struct CompareTile {
  Stage stage{};
  Rect card;
  ImU32 colour = 0;  ///< its lane's colour
  bool chosen = false;
  std::string largest;     ///< "±0.31", or why there is no number
  std::optional<Cell> at;  ///< position of the largest change
  HeatPicture heat;        ///< no rows: not drawn
};

/// B − A of one batch entry and head of the large stage.
struct CompareSlice {
  Rect card;
  Index batch = 0, head = 0;  ///< a query head
  std::string label;
  bool chosen = false, changed = false;
  HeatPicture heat;
};

struct ComparePicture {
  std::string changes;               ///< differences between the two scenarios
  std::string summary;               ///< the first stage that changes, and the change of the output
  std::string stage_summary;         ///< the large stage: number of changed values, the largest change and its position
  std::vector<ComparePanel> panels;  ///< A, B, B − A; only A and B if their shapes differ; empty if one lacks the stage
  std::vector<CompareSlice> slices;  ///< if there are several; changed ones come first if not all fit
  std::vector<CompareTile> tiles;    ///< stages that differ
  std::string unchanged;             ///< names of the equal stages
  Stage stage{};
};

/// The same, cached.
const ComparePicture& compare_picture(const Frame& frame, Rect area);

void draw_compare_view(const Frame& frame, Rect place);

}  // namespace headlight
