// The known mistakes, each as a different computation of some stages.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/diagnosis/own_stages.h"
#include "core/run/trace.h"

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
  bool harmless = false;  ///< no weight of a row that has keys changes
  bool rare = false;      ///< reported only if no other mistake produces the same numbers
};

/// The settings of a run with this fill, also in rows that may attend to no key.
std::function<void(Scenario&)> with_fill(float fill);

/// What a mistake is searched in: a run that has a mask stage if keys are masked, and the user's stages.
struct Suspect {
  const Trace& run;
  const OwnStages& own;
};

struct Mistake {
  const char* id;
  /// Empty if the mistake cannot be made in this run. The most common ones come first.
  std::vector<Variant> (*variants)(const Suspect&);
};

/// All mistakes, the most common ones first.
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
/// Projects `x` with these parameters, which may belong to another projection.
Rule projected(Stage x, Stage weight, Stage bias);
/// "b_q, b_k and b_v"
std::string joined_by_and(const std::vector<std::string>& names);
/// All non-empty subsets of `size` items as bits, the smallest first.
std::vector<unsigned> subsets(std::size_t size);

}  // namespace headlight::mistakes
