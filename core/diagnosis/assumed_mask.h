// A mask that somebody's numbers show and the run was not given.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/diagnosis/own_stages.h"
#include "core/run/pipeline.h"

namespace headlight {

struct AssumedMask {
  std::shared_ptr<const Trace> run;  ///< the same computation under that mask
  std::string settings;              ///< `--mask "causal()"`; "" where no expression gives it
  Stage seen_in{};                   ///< what shows it
};

/// Nothing where the run has a mask, or where the numbers show none: a mask of their own, −∞ (or −1e4 and less) in
/// masked_scores, zeros in the weights that a pattern gives or that are the same in several heads (dropout's are not),
/// or an output that a causal mask alone explains. Throws Cancelled.
std::optional<AssumedMask> mask_in_numbers(const Trace& run, const OwnStages& own, const Run& how);

/// The run, where it has no mask but a bias from its file that hides keys (−inf, or −1e4 and less), with these as its
/// mask and the rest of the bias as it was; else the run itself. Its weights are the same.
std::shared_ptr<const Trace> with_bias_as_mask(const std::shared_ptr<const Trace>& trace, const Run& run);

}  // namespace headlight
