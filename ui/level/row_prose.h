// A row of weights in words: "cat 0.62, the 0.22, sat 0.06 … and 3 more, together 0.10".
#pragma once

#include "ui/level/pen.h"

namespace headlight {

/// The translation key and its values: the words with the largest shares, and the sum of the rest, computed here from
/// the row. Empty if fewer than two keys have any share, or if the row has a NaN.
struct RowProse {
  const char* key = nullptr;
  std::vector<Named> values;
};
RowProse row_prose(const SceneContext& context, Index query);

}  // namespace headlight
