#include "core/teaching/diagnosis/assumed_mask.h"

#include <algorithm>
#include <array>

#include "core/base/tensor/each_matrix.h"
#include "core/teaching/diagnosis/diagnosis.h"
#include "core/teaching/diagnosis/harmless.h"
#include "core/teaching/diagnosis/mask_parts.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "core/teaching/diagnosis/seen_mask.h"

namespace headlight {
namespace {

/// [B]; undefined without lengths.
Tensor as_tensor(const std::vector<Index>& lengths) {
  if (lengths.empty()) return {};
  Buffer values;
  for (const Index length : lengths) values.push_back(static_cast<float>(length));
  return Tensor({static_cast<Index>(lengths.size())}, std::move(values));
}

std::shared_ptr<const Trace> computed(const Trace& run, const MaskWords& guess, const Run& how) {
  Scenario scenario = run.scenario;
  Inputs inputs = run.inputs;
  scenario.mask = guess.expression;
  if (!guess.lengths.empty()) {
    scenario.valid_lens.clear();
    for (const Index length : guess.lengths) scenario.valid_lens.push_back({length});
    inputs.valid_lens = as_tensor(guess.lengths);
  }
  return compute(scenario, std::move(inputs), &run, how);
}

/// A mask that is one of the known mistakes, unless it is meant.
std::optional<Finding> doubt_about(const MaskWords& mask, Index n_q, Index n_k) {
  const auto has = [&](std::string_view part) { return mask.expression.find(part) != std::string::npos; };
  if (has("k <= q + 1") && !has("k <= q + 1 &&"))
    return Finding{"causal_sees_next",
                   "Under this mask a query sees the next position too, k ≤ q + 1; triu(diagonal=1) is for a mask that "
                   "is true = may NOT attend. If that is not meant: Write mask = torch.ones(n, n, dtype=torch.bool)"
                   ".tril()."};
  if (has("k < q"))
    return Finding{"causal_excludes_self",
                   "Under this mask a query does not see its own position, k < q. If that is not meant: Write mask = "
                   "torch.ones(n, n, dtype=torch.bool).tril()."};
  if (has("k >= q") || has("k > q"))
    return Finding{has("k > q") ? "mask_inverted" : "mask_transposed",
                   "Under this mask a query sees the future and not the past. If that is not meant: Write mask = "
                   "torch.ones(n, n, dtype=torch.bool).tril()."};
  if (has("!padding()") || (has("k >= ") && !has("q")))
    return Finding{
        "mask_inverted",
        "Under this mask a query sees only the end of each sequence. If that is its padding, the mask is the "
        "wrong way round: Write scores.masked_fill(~mask, float(\"-inf\"))."};
  if (has("causal()") && n_q < n_k && !has("_bottom"))
    return Finding{
        "causal_wrong_corner",
        "With n_q ≠ n_k this causal mask begins at the top left; keys from a cache need the bottom right. If "
        "that is meant: Write mask = torch.ones(n_q, n_k, dtype=torch.bool).tril(diagonal=n_k - n_q)."};
  return {};
}

AssumedMask assumed(const Trace& run, const MaskWords& words, Stage seen_in, const Run& how) {
  AssumedMask mask{.run = computed(run, words, how),
                   .settings = settings_of(words),
                   .expression = words.expression,
                   .seen_in = seen_in};
  mask.doubt = doubt_about(words, run.dims().n_q, run.dims().n_k);
  return mask;
}

/// Whether the mask is the same in all heads of all batch entries, and there are at least two of them.
bool is_shared(const Tensor& mask) {
  if (mask.size(0) * mask.size(1) < 2) return false;
  const Tensor first = mask.slice(0, 0, 1).slice(1, 0, 1);
  return !any_matrix(mask, [&](const MatrixView& other) { return !same_numbers(other, first.matrix(0, 0)); });
}

/// The masks that are tried where the numbers do not show one.
std::vector<MaskWords> usual_masks(const Trace& run) {
  std::vector<MaskWords> usual{{"causal()"}};
  if (run.dims().n_q != run.dims().n_k) usual.push_back({"causal_bottom_right()"});
  for (const char* other : {"k <= q + 1", "k < q", "k >= q"}) usual.push_back({other});
  const Index most = std::min<Index>(run.dims().n_k, 8);
  for (Index w = 2; w < most; ++w) usual.push_back({"causal() && window(" + std::to_string(w) + ")"});
  for (Index w = 2; w < most; ++w) usual.push_back({"window(" + std::to_string(w) + ")"});
  return usual;
}

std::optional<AssumedMask> assume(const Tensor& mask, Stage seen_in, const Trace& run, const Run& how) {
  if (const std::optional<MaskWords> words = mask_in_words(mask)) return assumed(run, *words, seen_in, how);
  for (const MaskWords& words : usual_masks(run)) {  // rows without any key may show anything
    if (shows(evaluated(words, mask.shape()), mask)) return assumed(run, words, seen_in, how);
  }
  if (seen_in == Stage::weights && !is_shared(mask)) return {};
  Inputs inputs = run.inputs;
  inputs.file_mask = mask;
  inputs.file_rule.reset();
  return AssumedMask{
      .run = compute(run.scenario, std::move(inputs), &run, how), .settings = "", .expression = "", .seen_in = seen_in};
}

bool all_given(const Trace& run, const OwnStages& own) {
  return std::ranges::all_of(own.stages, [&](const OwnStage& stage) {
    return stage.fits && all_agree(stage.values, right_for(stage, run), stage.slack);
  });
}

/// For stages that do not show the mask: tries the usual ones.
std::optional<AssumedMask> usual_if_it_explains(const Trace& run, const OwnStages& own, const Run& how) {
  for (const MaskWords& words : usual_masks(run)) {
    if (all_given(*with_own_dead_rows(computed(run, words, how), own, how), own))
      return assumed(run, words, own.stages.back().stage, how);
  }
  return {};
}

}  // namespace

std::optional<AssumedMask> mask_in_numbers(const Trace& run, const OwnStages& own, const Run& how) {
  if (run.has(Stage::mask) || run.dims().n_k < 2) return {};
  if (const std::optional<SeenMask> seen = seen_mask(run, own)) {
    if (auto found = assume(completed(seen->cells, Tensor::full({1, 1, 1, 1}, 1)), seen->in, run, how)) return found;
  }
  return usual_if_it_explains(run, own, how);
}

AssumedMask causal_mask(const Trace& run, const OwnStages& own, const Run& how) {
  return assumed(run, {run.dims().n_q < run.dims().n_k ? "causal_bottom_right()" : "causal()"}, own.stages.back().stage,
                 how);
}

std::shared_ptr<const Trace> with_bias_as_mask(const std::shared_ptr<const Trace>& trace, const Run& run) {
  const Tensor& bias = trace->inputs.attn_bias;
  if (trace->has(Stage::mask) || !bias.defined()) return trace;
  const Tensor packed = bias.contiguous();
  const auto hides = [](float v) { return v <= -1e4F; };
  if (std::ranges::none_of(packed.values(), hides)) return trace;
  Inputs inputs = trace->inputs;
  inputs.file_mask = each_number(packed, [&](float v) { return hides(v) ? 0.0F : 1.0F; });
  inputs.attn_bias = each_number(packed, [&](float v) { return hides(v) ? 0.0F : v; });
  inputs.fill = *std::ranges::min_element(packed.values());
  return compute(trace->scenario, std::move(inputs), trace.get(), run);
}

}  // namespace headlight
