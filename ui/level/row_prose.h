// A row of weights in words: "cat 0.62, the 0.22, sat 0.06 … and 3 more, together 0.10".
#pragma once

#include "ui/level/pen.h"

namespace headlight {

/// The pattern's key in the table of words, and its values: the words of the largest shares and what the others have
/// together, summed here from the row itself. Empty where the row has fewer than two keys with any share, or is no
/// number.
struct RowProse {
  const char* key = nullptr;
  std::vector<Named> values;
};
RowProse row_prose(const SceneContext& context, Index query);

}  // namespace headlight
