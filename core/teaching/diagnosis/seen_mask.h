// The mask that a user's weights or masked scores show.
#pragma once

#include <optional>

#include "core/base/tensor/tensor.h"
#include "core/compute/run/trace.h"
#include "core/teaching/diagnosis/own_stages.h"

namespace headlight {

/// A difference of scores that leaves no weight, by far: e^−104 is 0 in float32.
constexpr float far_below = 500;

struct SeenMask {
  Tensor cells;  ///< [B, H, n_q, n_k], 1 = may attend; NaN where a weight is too small to tell
  Stage in{};    ///< the stage that shows it
};
/// The mask that the user's masked scores or weights show, or that was saved; unset where they show none. A number is
/// masked where it is −∞, or far below both the run's unmasked score and its row; a weight where it is 0 and would not
/// be without a mask.
std::optional<SeenMask> seen_mask(const Trace& run, const OwnStages& own);
/// `cells` with those of `otherwise` where they are unknown.
Tensor completed(const Tensor& cells, const Tensor& otherwise);
/// The user's masked scores with `fill` where they are masked, whatever their own fill is; as they are where they show
/// no mask.
Tensor with_fill_for(const Tensor& masked_scores, const Trace& run, float fill);
/// The one number that masked scores are set to; unset where they show no mask, or several numbers.
std::optional<float> fill_in(const Tensor& masked_scores, const Trace& run);
/// Whether a computation under `mask` would show `seen`. Rows without any key may show anything.
bool shows(const Tensor& mask, const Tensor& seen);

}  // namespace headlight
