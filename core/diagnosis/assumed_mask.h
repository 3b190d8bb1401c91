// Infers the mask of the user's numbers if the run was given none.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/diagnosis/own_stages.h"
#include "core/run/pipeline.h"

namespace headlight {

struct AssumedMask {
  std::shared_ptr<const Trace> run;  ///< the same computation under that mask
  std::string settings;              ///< `--mask "causal()"`; "" if no expression gives it
  Stage seen_in{};                   ///< the stage that reveals it
};

/// Unset if the run has a mask, or the numbers reveal none. They reveal it by a saved mask, by −∞ (or −1e4 and less) in
/// masked_scores, by zeros in the weights that follow a pattern or are the same in several heads (unlike dropout's), or
/// by an output that only a causal mask explains. Throws Cancelled.
std::optional<AssumedMask> mask_in_numbers(const Trace& run, const OwnStages& own, const Run& how);

/// The run, where it has no mask but a bias from its file that hides keys (−inf, or −1e4 and less), with these as its
/// mask and the rest of the bias as it was; else the run itself. Its weights are the same.
std::shared_ptr<const Trace> with_bias_as_mask(const std::shared_ptr<const Trace>& trace, const Run& run);

}  // namespace headlight
