// What lies over a stage's matrix: masked and dropped cells, on the stages from the mask on.
#pragma once

#include "core/run/trace.h"
#include "core/stage/cell_kind.h"

namespace headlight {

CellMasks masks_over(const Trace& trace, Stage stage, Index batch, Index head);

}  // namespace headlight
