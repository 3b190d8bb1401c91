// What the compare view shows, computed once for two traces, a view and a size: A, B and B − A of one stage, and the
// others' B − A small.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/difference.h"
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
  ImU32 colour = 0;  ///< its lane's
  bool chosen = false;
  std::string largest;     ///< "±0.31", or why there is no number
  std::optional<Cell> at;  ///< where the largest change is
  HeatPicture heat;        ///< no rows: nothing to draw
};

/// B − A of one batch entry and head of the stage that is shown large.
struct CompareSlice {
  Rect card;
  Index batch = 0, head = 0;  ///< a query head
  std::string label;
  bool chosen = false, changed = false;
  HeatPicture heat;
};

struct ComparePicture {
  std::string changes;        ///< what B's scenario says that A's does not
  std::string summary;        ///< the first stage that changes, and by how much the output moves
  std::string stage_summary;  ///< the stage that is shown large: how many numbers changed, the largest and where
  std::vector<ComparePanel>
      panels;  ///< A, B, B − A; A and B where they have other shapes; empty where one has no such stage
  std::vector<CompareSlice>
      slices;                      ///< where there are several, those that changed before the others where not all fit
  std::vector<CompareTile> tiles;  ///< of the stages that are not the same in both
  std::string unchanged;           ///< the names of those that are
  Stage stage{};
};

/// `area` in screen pixels. There are a pinned trace and its difference.
ComparePicture make_compare_picture(const Frame& frame, Rect area);

/// The same, kept.
const ComparePicture& compare_picture(const Frame& frame, Rect area);

}  // namespace headlight
