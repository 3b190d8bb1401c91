// Statistics of a trace: of whole stages, for their colours, and of each row of attention weights.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "core/rules/stage/extent.h"
#include "core/rules/stage/stage.h"

namespace headlight {

class Trace;

/// Of a whole stage.
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

/// Why a row of weights is not a plain softmax, in order of priority.
enum class RowFlag : std::uint8_t {
  none,          ///< it sums to one
  dead_nan,      ///< no key is allowed: NaN, as from −∞ for every score
  dead_uniform,  ///< no key is allowed: equal weights, as from a finite fill
  dead_zero,     ///< no key is allowed: set to zero
  nan,           ///< NaN although some keys are allowed: NaN or +∞ among its scores
  dropout,       ///< dropout removed weights and scaled the others by 1/(1 − p)
  sink,          ///< a sink logit has a share
  leak,          ///< masked keys have weight: the fill is finite
};

struct RowStatistics {
  double sum = 0;
  double entropy = 0;  ///< bits, of the normalised row; NaN if the row is
  float maximum = 0;
  Index allowed = 0;  ///< number of keys that the mask allows
  RowFlag flag = RowFlag::none;
};

/// For every row of `weights` or `dropped_weights` at one batch entry and head.
std::vector<RowStatistics> row_statistics(const Trace& trace, Stage stage, Index batch, Index head);

/// "row.dropout" and the like: the translation key of the flag.
const char* word_of(RowFlag flag);

}  // namespace headlight
