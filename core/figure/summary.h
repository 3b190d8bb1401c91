// What the colours of a whole trace are chosen by: the extent of each stage over every batch entry and head.
#pragma once

#include <array>
#include <memory>

#include "core/attention/stage.h"
#include "core/figure/range.h"
#include "core/tensor/tensor.h"

namespace headlight {

class Trace;

struct StageSummary {
  Tensor of, mask;  ///< what it was taken from
  Extent extent;    ///< of the values; masked_scores: of those that are not masked
};

struct TraceSummary {
  std::array<StageSummary, matrix_count> stages;
  const Extent& extent(Stage stage) const { return stages[static_cast<std::size_t>(stage)].extent; }
};

/// Reads every number of the trace once, but for stages that `last` already has.
std::shared_ptr<const TraceSummary> summarise(const Trace& trace, const TraceSummary* last);

}  // namespace headlight
