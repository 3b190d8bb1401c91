// The mistakes by topic; all_mistakes() lists them.
#pragma once

#include <vector>

#include "core/diagnosis/mistakes.h"
#include "core/diagnosis/own_stages.h"
#include "core/run/trace.h"

namespace headlight::mistakes {

using Variants = std::vector<Variant>;

using Find = Variants(const Suspect& suspect);
// score_mistakes.cpp
Find no_scale, scale_by_d_model, scale_multiplied, scale_without_root, softmax_over_queries, softmax_over_heads,
    sigmoid_weights, query_key_swapped, weights_transposed, dropout_active, constant_factor;
// mask_mistakes.cpp
Find mask_inverted, mask_ignored, mask_after_softmax, mask_finite_fill, causal_excludes_self, causal_sees_next,
    causal_wrong_corner, mask_transposed, padding_on_queries;
// head_mistakes.cpp
Find weight_not_transposed, bias_missing, bias_twice, no_output_projection, residual_included, value_is_key,
    key_value_swapped, split_without_transpose, merge_without_transpose, merge_permuted, rope_pairing, rope_on_values,
    gqa_tiled, heads_averaged;

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
