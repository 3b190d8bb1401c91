// The same mask under the choices that differ between libraries, and what each does to a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"

namespace headlight {

struct Convention {
  std::string id;        ///< "polarity", "window", "corner", "fill:-1e9", "dead_row:zero", "after_softmax"
  bool applies = true;   ///< a scenario can say it; after_softmax is a mistake that none can
  Scenario scenario;     ///< the run's with the other choice made, where it applies
  Tensor weights, mask;  ///< [B, H, n_q, n_k]
  Index cells = 0;       ///< of the mask that differ, over all batch entries and heads
  float weights_change = 0, output_change = 0;  ///< the largest |difference| between finite numbers
  bool nan_changes = false;                     ///< some weights are NaN in one of the two runs alone
};

/// The other choices for a run with a mask, in the order above. Those that its mask knows nothing of (no window, n_q = n_k,
/// no dead row) are left out. Computes a run a choice, from the scores on. Throws Cancelled.
std::vector<Convention> conventions(const Trace& trace);

/// The expression with each call of one pattern made a call of the other, and the other way round.
std::string with_calls_swapped(const std::string& expression, std::string_view one, std::string_view other);

}  // namespace headlight
