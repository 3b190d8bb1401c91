// What is known of each stage as a whole: the extent that colours are chosen by, and how many cells are no values.
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
  Tensor of, mask, kept;  ///< what it was taken from
  Extent extent;          ///< of what is a value: neither masked nor dropped nor infinite
  std::vector<KindCounts>
      kinds;          ///< how many cells are what, by batch entry and head, heads together; none after a first look
  bool whole = true;  ///< false: of numbers that are computed as they are read, the first head's extent alone
};

struct TraceSummary {
  std::array<StageSummary, matrix_count> stages;
  const Extent& extent(Stage stage) const { return stages[static_cast<std::size_t>(stage)].extent; }
  bool is_whole() const;
  /// Of one matrix of the trace: a stage without heads has head 0, a parameter batch 0 too. Of a head that is not
  /// there, which a window may ask for while the numbers that have it are on their way, the last. All 0 where nothing
  /// is counted (yet).
  const KindCounts& kinds(Stage stage, Index batch, Index head) const;
};

/// Reads every number of the trace once, but for stages that `last` already has; at a first look, of those that are
/// computed as they are read, little more than what stands on the screen first. Throws Cancelled.
std::shared_ptr<const TraceSummary> summarise(const Trace& trace, const TraceSummary* last, bool first_look = false,
                                              const std::stop_token& stop = {});

}  // namespace headlight
