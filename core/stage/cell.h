// Cell: one number of one stage or parameter.
#pragma once

#include "core/stage/stage.h"
#include "core/tensor/tensor.h"

namespace headlight {

/// A stage without a head axis has head 0; a parameter has batch 0 too. A bias has one row: its numbers are columns.
struct Cell {
  Stage stage{};
  Index batch = 0, head = 0, row = 0, col = 0;
  bool operator==(const Cell&) const = default;
};

}  // namespace headlight
