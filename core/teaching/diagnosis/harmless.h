// Stages that differ from the run's and change nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/teaching/diagnosis/diagnosis.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight {

/// What later stages of the user's say.
struct Later {
  bool agree = true;  ///< none of them differs
  int count = 0;      ///< how many agree
};

/// Why the difference of a stage changes no weight and no output: a constant for each row of scores, scaled queries in
/// place of scaled scores, weights before they are divided by their sum, the heads' mean. Unset if it may.
std::optional<Finding> harmless(const Trace& run, const OwnStage& mine, const Later& later);

/// The run with what the user's code puts into rows that may attend to no key: zeros, as scaled_dot_product_attention,
/// NaN, equal weights. The run itself if it has no such rows or no other choice agrees in more stages.
std::shared_ptr<const Trace> with_own_dead_rows(const std::shared_ptr<const Trace>& run, const OwnStages& own,
                                                const Run& how);

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
