// The same mask under the choices that differ between libraries, and what each does to a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/run/trace.h"

namespace headlight {

struct Convention {
  std::string id;       ///< "polarity", "window", "corner", "fill:-1e9", "dead_row:zero", "after_softmax"
  bool applies = true;  ///< a scenario can say it; after_softmax is a mistake that none can
  Scenario scenario;    ///< the run's with the other choice made, where it applies
};

/// The other choices for a run with a mask, in the order above. Those that its mask knows nothing of (no window, n_q =
/// n_k, no dead row) are left out.
std::vector<Convention> other_conventions(const Trace& trace);

/// What a choice does to the run.
struct ConventionEffect {
  Tensor weights, mask;                         ///< [B, H, n_q, n_k]
  Index cells = 0;                              ///< of the mask that differ, over all batch entries and heads
  float weights_change = 0, output_change = 0;  ///< the largest |difference| between finite numbers
  bool nan_changes = false;                     ///< some weights are NaN in one of the two runs alone
  bool changes_nothing() const { return cells == 0 && weights_change == 0 && output_change == 0 && !nan_changes; }
};
/// Computes the run with it, from the mask or the scores on.
ConventionEffect effect_of(const Convention& choice, const Trace& trace);

/// The expression with each call of one pattern made a call of the other, and the other way round.
std::string with_calls_swapped(const std::string& expression, std::string_view one, std::string_view other);

}  // namespace headlight
