#include "core/teaching/diagnosis/mistakes.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/projection.h"

namespace headlight {

std::function<void(Scenario&)> with_fill(float fill) {
  return [fill](Scenario& s) {
    s.fill = fill;
    s.dead_row = DeadRow::from_fill;
  };
}

std::span<const Mistake> all_mistakes() {
  using enum Mistake::Kind;
  static constexpr Mistake table[] = {
      {"no_scale", mistakes::no_scale, step},
      {"scale_by_d_model", mistakes::scale_by_d_model, step},
      {"scale_multiplied", mistakes::scale_multiplied, step},
      {"wrong_parameter", mistakes::scale_off, step},
      {"scale_without_root", mistakes::scale_without_root, step},
      {"mask_ignored", mistakes::mask_ignored, mask},
      {"mask_inverted", mistakes::mask_inverted, mask},
      {"mask_inverted", mistakes::mask_part_inverted, mask},
      {"mask_after_softmax", mistakes::mask_after_softmax, mask},
      {"causal_excludes_self", mistakes::causal_excludes_self, mask},
      {"causal_sees_next", mistakes::causal_sees_next, mask},
      {"causal_wrong_corner", mistakes::causal_wrong_corner, mask},
      {"padding_on_queries", mistakes::padding_on_queries, mask},
      {"mask_transposed", mistakes::mask_transposed, mask},
      {"step_missing", mistakes::window_missing, mask},
      {"wrong_parameter", mistakes::window_off, mask},
      {"mask_of_other_sequence", mistakes::mask_of_other_sequence, mask},
      {"mask_added", mistakes::mask_added, mask},
      {"mask_wrong", mistakes::mask_wrong, mask},
      {"mask_wrong", mistakes::mask_expression_off, mask},
      {"step_missing", mistakes::rotation_missing, step},
      {"step_missing", mistakes::norm_missing, step},
      {"step_missing", mistakes::input_norm_missing, step},
      {"input_normalised", mistakes::input_normalised, step},
      {"step_missing", mistakes::cap_missing, step},
      {"step_missing", mistakes::bias_of_scores_missing, step},
      {"softmax_over_queries", mistakes::softmax_over_queries},
      {"softmax_over_heads", mistakes::softmax_over_heads},
      {"softmax_twice", mistakes::softmax_twice},
      {"step_missing", mistakes::softmax_missing},
      {"softmax_wrong", mistakes::softmax_wrong},
      {"step_missing", mistakes::values_not_gathered},
      {"sigmoid_weights", mistakes::sigmoid_weights},
      {"rope_pairing", mistakes::rope_pairing, step},
      {"wrong_parameter", mistakes::rope_base, step},
      {"wrong_parameter", mistakes::rope_positions, step},
      {"wrong_parameter", mistakes::rope_share, step},
      {"wrong_parameter", mistakes::rope_sign, step},
      {"wrong_parameter", mistakes::rope_formula, step},
      {"wrong_parameter", mistakes::rope_positions_scaled, step},
      {"wrong_parameter", mistakes::rope_angles, step},
      {"wrong_parameter", mistakes::rope_channels, step},
      {"wrong_parameter", mistakes::cache_rotated_otherwise, step},
      {"wrong_parameter", mistakes::rope_positions_repeated, step},
      {"wrong_parameter", mistakes::alibi_slopes_off, step},
      {"wrong_parameter", mistakes::alibi_distances, step},
      {"wrong_parameter", mistakes::t5_buckets_off, step},
      {"wrong_parameter", mistakes::bias_off, step},
      {"wrong_order", mistakes::score_steps_reordered, step},
      {"wrong_parameter", mistakes::cap_off, step},
      {"wrong_parameter", mistakes::groups_off, step},
      {"wrong_parameter", mistakes::norm_off, step},
      {"wrong_parameter", mistakes::norm_formula, step},
      {"wrong_parameter", mistakes::norm_weights_off, step},
      {"wrong_parameter", mistakes::norm_axis, step},
      {"wrong_parameter", mistakes::norm_epsilon, step},
      {"wrong_parameter", mistakes::input_norm_off, step},
      {"wrong_parameter", mistakes::input_norm_epsilon, step},
      {"wrong_order", mistakes::norm_after_rotation, step},
      {"split_without_transpose", mistakes::split_without_transpose},
      {"merge_without_transpose", mistakes::merge_without_transpose},
      {"split_interleaved", mistakes::split_interleaved},
      {"split_interleaved", mistakes::packed_reordered},
      {"split_interleaved", mistakes::packed_by_groups},
      {"merge_permuted", mistakes::merge_permuted},
      {"no_output_projection", mistakes::no_output_projection, step},
      {"step_missing", mistakes::projection_missing, step},
      {"residual_included", mistakes::residual_included},
      {"bias_missing", mistakes::bias_missing, step},
      {"bias_twice", mistakes::bias_twice},
      {"bias_exchanged", mistakes::bias_exchanged},
      {"weight_not_transposed", mistakes::weight_not_transposed},
      {"query_key_swapped", mistakes::query_key_swapped},
      {"value_is_key", mistakes::value_is_key},
      {"projection_repeated", mistakes::projection_repeated},
      {"key_value_swapped", mistakes::key_value_swapped},
      {"wrong_input", mistakes::wrong_input},
      {"wrong_input", mistakes::projections_chained},
      {"weights_transposed", mistakes::weights_transposed},
      {"rope_on_values", mistakes::rope_on_values},
      {"gqa_tiled", mistakes::gqa_tiled},
      {"attention_over_batch", mistakes::attention_over_batch},
      {"attention_over_batch", mistakes::attention_over_heads},
      {"attention_over_batch", mistakes::batch_and_heads_swapped},
      {"keys_reordered", mistakes::keys_reordered},
      {"keys_reordered", mistakes::queries_reordered},
      {"keys_reordered", mistakes::cache_unwritten},
      {"wrong_input", mistakes::other_sequences},
      {"wrong_input", mistakes::sequences_reordered},
      {"wrong_input", mistakes::input_reordered},
      {"wrong_input", mistakes::cache_of_other_sequence},
      {"mask_wrong", mistakes::keys_left_out, mask},
      {"wrong_parameter", mistakes::channels_left_out},
      {"heads_averaged", mistakes::heads_averaged},
      {"mask_finite_fill", mistakes::mask_finite_fill, mask},
      {"dropout_active", mistakes::dropout_active},
      {"wrong_parameter", mistakes::heads_off},
      {"wrong_parameter", mistakes::scores_of_distance},
      {"step_added", mistakes::step_added},
      {"wrong_order", mistakes::query_bias_after_scale, step},
      {"constant_factor", mistakes::constant_factor},
  };
  return table;
}

Stage first_changed(const Variant& variant) {
  if (variant.settings || variant.inputs) return Stage::query;
  Stage first = Stage::output;
  if (!variant.rules.empty()) first = std::min(first, variant.rules.begin()->first);
  if (!variant.saved.empty()) first = std::min(first, variant.saved.begin()->first);
  return first;
}

namespace mistakes {

const Tensor& scores_before_mask(const Trace& so_far) {
  return so_far[so_far.standing_for(Stage::biased_scores).value()];
}

Rule projected(Stage x, Stage weight, Stage bias) {
  return [=](const Trace& t, const Usual&) { return project(t[x], t[weight], t[bias]); };
}

Tensor joined_along(Index axis, const std::vector<Tensor>& parts) {
  std::vector<Tensor> axis_first;
  for (const Tensor& part : parts) axis_first.push_back(part.transpose(0, axis));
  return joined(axis_first).transpose(0, axis).contiguous();
}

Tensor mean_of_heads(const Tensor& heads) {
  return mean_over_heads(heads)
      .view({heads.size(0), 1, heads.size(2), heads.size(3)})
      .expand(heads.shape())
      .contiguous();
}

Tensor sum_of_heads(const Tensor& heads) {
  const auto count = static_cast<float>(heads.size(1));
  return each_number(mean_of_heads(heads), [count](float v) { return v * count; });
}

Rule multiplied_by(float factor) {
  return [factor](const Trace&, const Usual& usual) {
    return each_number(usual(), [factor](float v) { return v * factor; });
  };
}

std::string listed(const std::vector<double>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(numbers.size(), 4); ++i)
    text += (i > 0 ? ", " : "") + formatted("%.4g", numbers[i]);
  return text + (numbers.size() > 4 ? ", …" : "");
}

void append(Variants& variants, Variants more) {
  for (Variant& each : more) variants.push_back(std::move(each));
}

std::string joined_by_and(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

const char* is_or_are(std::size_t count) { return count == 1 ? " is" : " are"; }

std::vector<unsigned> subsets(std::size_t size) {
  std::vector<unsigned> sets((1U << size) - 1);
  std::iota(sets.begin(), sets.end(), 1U);
  std::ranges::stable_sort(sets, {}, [](unsigned set) { return std::popcount(set); });
  return sets;
}

}  // namespace mistakes
}  // namespace headlight
