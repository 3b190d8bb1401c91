// Differences that rounding to half precision, or sums in another order, explain.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/teaching/diagnosis/reproduction.h"

namespace headlight {

/// The run computed on from the user's own stages wherever they agree, so that their rounding errors (half precision,
/// or sums in another order) pass on to later stages as in the user's code. The run itself if no stage agrees.
Base with_own_rounding(const std::shared_ptr<const Trace>& run, const OwnStages& own, const Run& how);

struct HiddenRounding {
  std::shared_ptr<const Trace> run;
  float slack = 0;
  std::string id;  ///< rounded_bf16 or rounded_f16
};
/// The run with some stages rounded that were not saved, if this explains most of the differences.
std::optional<HiddenRounding> hidden_rounding(const std::shared_ptr<const Trace>& run, const OwnStages& own,
                                              const Run& how);

/// "float16" or "bfloat16" where no stage differs from the run by more than twice what that rounding of every stage
/// causes; else "".
std::string rounding_of_this_size(const std::shared_ptr<const Trace>& run, const OwnStages& own, const Run& how);

}  // namespace headlight
