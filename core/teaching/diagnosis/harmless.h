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

}  // namespace headlight
