// The known mistakes, each as a different computation of some stages.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/compute/run/trace.h"
#include "core/teaching/diagnosis/own_stages.h"

namespace headlight {

/// Computes one stage wrongly from the stages before it, as they are in this run; `usual()` computes it correctly.
using Usual = std::function<Tensor()>;
using Rule = std::function<Tensor(const Trace& so_far, const Usual& usual)>;

/// A variant of a mistake: everything that differs from the right computation.
struct Variant {
  std::string explanation;                    ///< one or two sentences, with the PyTorch line to write instead
  std::function<void(Scenario&)> settings{};  ///< the part that a scenario can express; may be empty
  std::map<Stage, Rule> rules{};
  /// What is saved under the stage's name, if it is not what the run continues with.
  std::map<Stage, std::function<Tensor(const Tensor&)>> saved{};
  std::function<void(Inputs&)> inputs{};  ///< other sources and sizes; only in a run that no own stages were put into
  bool harmless = false;                  ///< no weight of a row that has keys changes
  bool rare = false;                      ///< reported only if no other mistake produces the same numbers
  std::string yours{}, here{};            ///< the number or the code that differs: the user's, and this run's; or ""
};

/// The first stage that the variant changes, as computed or as saved; the first of all where settings or inputs change.
Stage first_changed(const Variant& variant);

/// The settings of a run with this fill, also in rows that may attend to no key.
std::function<void(Scenario&)> with_fill(float fill);

/// What a mistake is searched in: a run that has a mask stage if keys are masked, and the user's stages.
struct Suspect {
  const Trace& run;
  const OwnStages& own;
  /// The difference between the first stage that is wrong and the variant's, relative to the stage (root mean squares).
  /// Empty where nothing can be fitted.
  std::function<double(const Variant&)> misfit{};
  /// The user's mask [B, H, n_q, n_k] where masked scores or weights show it and it is not the run's; else undefined.
  Tensor seen_mask{};
};

struct Mistake {
  enum class Kind : std::uint8_t { other, mask, step };  ///< a mistake with a mask and another one may come together
  const char* id;
  /// Empty if the mistake cannot be made in this run. The most common ones come first.
  std::vector<Variant> (*variants)(const Suspect&);
  Kind kind = Kind::other;
};

/// All mistakes, the most common ones first. An id that names a kind (`wrong_parameter`) has several rows.
std::span<const Mistake> all_mistakes();

/// The fill seen in their masked_scores or weights, then common ones, then the one that fits their outputs best; each
/// once, without the run's own. `run` must have a mask.
std::vector<float> fills_to_try(const Trace& run, const OwnStages& own);

}  // namespace headlight

// The mistakes by topic; all_mistakes() lists them.
namespace headlight::mistakes {

using Variants = std::vector<Variant>;

using Find = Variants(const Suspect& suspect);
// score_mistakes.cpp
Find no_scale, scale_by_d_model, scale_multiplied, scale_without_root, query_key_swapped, weights_transposed,
    dropout_active, constant_factor;
// softmax_mistakes.cpp
Find softmax_over_queries, softmax_over_heads, sigmoid_weights, softmax_twice, softmax_missing, softmax_wrong,
    values_not_gathered;
// softmax_formulas.cpp
Find softmax_in_chunks, softmax_formulas;
// similarity_mistakes.cpp
Find scores_of_distance, linear_attention;
// mask_mistakes.cpp
Find mask_inverted, mask_ignored, mask_after_softmax, mask_finite_fill, causal_excludes_self, causal_sees_next,
    causal_wrong_corner, mask_transposed, padding_on_queries;
// other_masks.cpp
Find window_missing, window_off, mask_of_other_sequence, mask_part_inverted, mask_added, mask_added_weakly, mask_wrong;
// mask_expressions.cpp
Find mask_expression_off;
// step_mistakes.cpp
Find rotation_missing, norm_missing, cap_missing, bias_of_scores_missing, score_steps_reordered, norm_after_rotation;
// rotation_mistakes.cpp
Find rope_base, rope_positions, rope_share, rope_sign, rope_formula;
// rotation_formulas.cpp
Find rope_pairing_of_one, rope_positions_scaled, rope_angles, rope_channels;
// bias_mistakes.cpp
Find alibi_slopes_off, alibi_distances, bias_off, t5_buckets_off;
// number_mistakes.cpp
Find cap_off, scale_off, groups_off, heads_off;
// norm_mistakes.cpp
Find norm_off, norm_formula, norm_weights_off, norm_epsilon, norm_axis;
// input_norm_mistakes.cpp
Find input_norm_missing, input_normalised, input_norm_off, input_norm_epsilon;
// axis_mistakes.cpp
Find attention_over_batch, attention_over_heads, batch_and_heads_swapped, split_interleaved, packed_reordered,
    packed_by_view, packed_by_groups;
// order_mistakes.cpp
Find keys_reordered, queries_reordered, other_sequences, sequences_reordered, input_reordered, keys_left_out,
    channels_left_out;
// cache_mistakes.cpp
Find cache_unwritten, cache_of_other_sequence, cache_given_keys, cache_read_too_far, cache_rotated_otherwise,
    rope_positions_repeated;
// head_mistakes.cpp
Find split_without_transpose, split_not_transposed, merge_without_transpose, merge_permuted, rope_pairing,
    rope_on_values, gqa_tiled, heads_averaged;
// residual_mistakes.cpp
Find residual_included;
// projection_mistakes.cpp
Find weight_not_transposed, projection_missing, bias_missing, bias_twice, bias_exchanged, no_output_projection,
    value_is_key, key_value_swapped, projection_repeated, wrong_input, projections_chained, input_scaled,
    query_bias_after_scale;
// added_steps.cpp
Find step_added;

/// The scores that the mask is applied to, in a partly computed run.
const Tensor& scores_before_mask(const Trace& so_far);
/// Variants that put each of these masks in the place of the run's; where the user's mask is seen, only those that
/// equal it.
Variants with_masks(const Suspect& suspect, const std::vector<Tensor>& masks, const std::string& explanation);
/// What enters a network's block before its norm, [B, n, width]; undefined where the run is no network's.
Tensor residual_of(const Trace& run);
/// Projects `x` with these parameters, which may belong to another projection.
Rule projected(Stage x, Stage weight, Stage bias);
/// Tensors one after the other along an axis; joined() does so along the first.
Tensor joined_along(Index axis, const std::vector<Tensor>& parts);
/// [B, G, n, d] with every head replaced by the mean over the heads, or by their sum.
Tensor mean_of_heads(const Tensor& heads);
Tensor sum_of_heads(const Tensor& heads);
/// The usual numbers times `factor`.
Rule multiplied_by(float factor);
/// "1, 0.5, 0.25, 0.125, …": the first four.
std::string listed(const std::vector<double>& numbers);
/// Adds variants to those of another function: an id that names one mistake has one row in the table.
void append(Variants& variants, Variants more);
/// "b_q, b_k and b_v"
std::string joined_by_and(const std::vector<std::string>& names);
/// " is" for one, " are" for more.
const char* is_or_are(std::size_t count);
/// All non-empty subsets of `size` items as bits, the smallest first.
std::vector<unsigned> subsets(std::size_t size);

}  // namespace headlight::mistakes
