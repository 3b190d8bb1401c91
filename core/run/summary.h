// Statistics of whole stages: the range for their colours, and counts of special cells.
#pragma once

#include <array>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/stage/extent.h"
#include "core/stage/stage.h"
#include "core/tensor/tensor.h"

namespace headlight {

class Trace;

struct StageSummary {
  Tensor of, mask, kept;          ///< what it was computed from
  Extent extent;                  ///< of values: not masked, dropped or infinite
  std::vector<KindCounts> kinds;  ///< counts by batch entry and head; empty after a first look
  bool whole = true;              ///< false: computed as it is read, with the range of the first head only
};

struct TraceSummary {
  std::array<StageSummary, matrix_count> stages;
  const Extent& extent(Stage stage) const { return stages[static_cast<std::size_t>(stage)].extent; }
  bool is_whole() const;
  /// Counts of one matrix of the trace: stages without heads have head 0, parameters batch 0. A head that does not
  /// exist (the window may be ahead of the trace) means the last one. All 0 if nothing is counted (yet).
  const KindCounts& kinds(Stage stage, Index batch, Index head) const;
};

/// Reads all numbers of the trace once, except stages that `last` has already. A first look reads only little of stages
/// that are computed as they are read. Throws Cancelled.
std::shared_ptr<const TraceSummary> summarise(const Trace& trace, const TraceSummary* last, bool first_look = false,
                                              const std::stop_token& stop = {});

}  // namespace headlight
