// The conventions in which libraries differ about the same mask, and the effect of each on a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/compute/run/trace.h"

namespace headlight {

struct Convention {
  std::string id;       ///< "polarity", "window", "corner", "fill:-1e9", "dead_row:zero", "after_softmax"
  bool applies = true;  ///< a scenario can express it; after_softmax is a mistake that none can
  Scenario scenario;    ///< the run's scenario with the other convention, if it applies
};

/// The other conventions for a run with a mask, in the order above, without those that do not concern it (no window,
/// n_q = n_k, no dead row).
std::vector<Convention> other_conventions(const Trace& trace);

/// The effect of a convention on the run.
struct ConventionEffect {
  Tensor weights, mask;                         ///< [B, H, n_q, n_k]
  Index cells = 0;                              ///< number of mask cells that differ, over all batch entries and heads
  float weights_change = 0, output_change = 0;  ///< the largest |difference| between finite numbers
  bool nan_changes = false;                     ///< some weights are NaN in only one of the runs
  bool changes_nothing() const { return cells == 0 && weights_change == 0 && output_change == 0 && !nan_changes; }
};
/// Computes the run with it, starting at the mask or the scores.
ConventionEffect effect_of(const Convention& choice, const Trace& trace);

/// The expression with calls of two patterns exchanged.
std::string with_calls_swapped(const std::string& expression, std::string_view one, std::string_view other);

}  // namespace headlight
