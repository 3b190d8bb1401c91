// The mistakes by topic; all_mistakes() lists them.
#pragma once

#include <vector>

#include "core/diagnosis/mistakes.h"
#include "core/diagnosis/own_stages.h"
#include "core/run/trace.h"

namespace headlight::mistakes {

using Variants = std::vector<Variant>;

Variants no_scale(const Suspect&);
Variants scale_by_d_model(const Suspect&);
Variants scale_multiplied(const Suspect&);
Variants scale_without_root(const Suspect&);
Variants softmax_over_queries(const Suspect&);
Variants softmax_over_heads(const Suspect&);
Variants sigmoid_weights(const Suspect&);
Variants query_key_swapped(const Suspect&);
Variants weights_transposed(const Suspect&);

Variants mask_inverted(const Suspect&);
Variants mask_ignored(const Suspect&);
Variants mask_after_softmax(const Suspect&);
Variants mask_finite_fill(const Suspect&);
Variants causal_excludes_self(const Suspect&);
Variants causal_sees_next(const Suspect&);
Variants causal_wrong_corner(const Suspect&);
Variants mask_transposed(const Suspect&);
Variants padding_on_queries(const Suspect&);

Variants weight_not_transposed(const Suspect&);
Variants bias_missing(const Suspect&);
Variants bias_twice(const Suspect&);
Variants no_output_projection(const Suspect&);
Variants residual_included(const Suspect&);
Variants value_is_key(const Suspect&);
Variants key_value_swapped(const Suspect&);

Variants split_without_transpose(const Suspect&);
Variants merge_without_transpose(const Suspect&);
Variants merge_permuted(const Suspect&);
Variants rope_pairing(const Suspect&);
Variants rope_on_values(const Suspect&);
Variants gqa_tiled(const Suspect&);
Variants heads_averaged(const Suspect&);

Variants dropout_active(const Suspect&);
Variants constant_factor(const Suspect&);

/// The scores that the mask is applied to, in a partly computed run.
const Tensor& scores_before_mask(const Trace& so_far);
/// The stage with `change` applied to each number.
Tensor each_number(const Tensor& tensor, const std::function<float(float)>& change);
/// "b_q, b_k and b_v"
std::string translated_error(const std::vector<std::string>& names);
/// All non-empty subsets of `size` items as bits, the smallest first.
std::vector<unsigned> subsets(std::size_t size);

}  // namespace headlight::mistakes

namespace headlight {

/// The fill seen in their masked_scores or weights, then common ones, then the one that fits their outputs best; each
/// once, without the run's own. `run` must have a mask.
std::vector<float> fills_to_try(const Trace& run, const OwnStages& own);

}  // namespace headlight

namespace headlight {

enum class CausalChange : std::uint8_t {
  excludes_self,  ///< k < q
  sees_next,      ///< k ≤ q + 1
  other_corner,   ///< top left instead of bottom right, or the other way round
};

}  // namespace headlight
