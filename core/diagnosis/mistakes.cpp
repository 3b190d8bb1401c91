#include "core/diagnosis/mistakes.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/attention/projection.h"

namespace headlight {

std::function<void(Scenario&)> with_fill(float fill) {
  return [fill](Scenario& s) {
    s.fill = fill;
    s.dead_row = DeadRow::from_fill;
  };
}

std::span<const Mistake> all_mistakes() {
  static constexpr Mistake table[] = {
      {"no_scale", mistakes::no_scale},
      {"scale_by_d_model", mistakes::scale_by_d_model},
      {"scale_multiplied", mistakes::scale_multiplied},
      {"scale_without_root", mistakes::scale_without_root},
      {"mask_ignored", mistakes::mask_ignored},
      {"mask_inverted", mistakes::mask_inverted},
      {"mask_after_softmax", mistakes::mask_after_softmax},
      {"causal_excludes_self", mistakes::causal_excludes_self},
      {"causal_sees_next", mistakes::causal_sees_next},
      {"causal_wrong_corner", mistakes::causal_wrong_corner},
      {"padding_on_queries", mistakes::padding_on_queries},
      {"mask_transposed", mistakes::mask_transposed},
      {"softmax_over_queries", mistakes::softmax_over_queries},
      {"softmax_over_heads", mistakes::softmax_over_heads},
      {"sigmoid_weights", mistakes::sigmoid_weights},
      {"split_without_transpose", mistakes::split_without_transpose},
      {"merge_without_transpose", mistakes::merge_without_transpose},
      {"merge_permuted", mistakes::merge_permuted},
      {"no_output_projection", mistakes::no_output_projection},
      {"residual_included", mistakes::residual_included},
      {"bias_missing", mistakes::bias_missing},
      {"bias_twice", mistakes::bias_twice},
      {"weight_not_transposed", mistakes::weight_not_transposed},
      {"query_key_swapped", mistakes::query_key_swapped},
      {"value_is_key", mistakes::value_is_key},
      {"key_value_swapped", mistakes::key_value_swapped},
      {"weights_transposed", mistakes::weights_transposed},
      {"rope_pairing", mistakes::rope_pairing},
      {"rope_on_values", mistakes::rope_on_values},
      {"gqa_tiled", mistakes::gqa_tiled},
      {"heads_averaged", mistakes::heads_averaged},
      {"mask_finite_fill", mistakes::mask_finite_fill},
      {"dropout_active", mistakes::dropout_active},
      {"constant_factor", mistakes::constant_factor},
  };
  return table;
}

namespace mistakes {

const Tensor& scores_before_mask(const Trace& so_far) {
  return so_far[so_far.standing_for(Stage::biased_scores).value()];
}

Rule projected(Stage x, Stage weight, Stage bias) {
  return [=](const Trace& t, const Usual&) { return project(t[x], t[weight], t[bias]); };
}

std::string joined_by_and(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

std::vector<unsigned> subsets(std::size_t size) {
  std::vector<unsigned> sets((1U << size) - 1);
  std::iota(sets.begin(), sets.end(), 1U);
  std::ranges::stable_sort(sets, {}, [](unsigned set) { return std::popcount(set); });
  return sets;
}

}  // namespace mistakes
}  // namespace headlight
