// Steps that the settings have and the user's code leaves out, or takes in another order.

#include <algorithm>
#include <cctype>
#include <tuple>
#include <variant>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/attention/sweep.h"
#include "core/compute/run/stage_steps.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {
namespace {

/// What the stage is computed from first: where the step is left out, the stage itself.
Tensor passed_on(Stage stage, const Trace& t) { return t[*t.standing_for(info(stage).sources[0].stage)]; }

struct Skipped {
  std::vector<Stage> stages;
  std::string explanation;
};

Variants without(const Suspect& suspect, const std::vector<Skipped>& all) {
  Variants variants;
  for (const Skipped& skipped : all) {
    if (!std::ranges::all_of(skipped.stages, [&](Stage stage) { return suspect.run.has(stage); })) continue;
    Variant& variant = variants.emplace_back(Variant{skipped.explanation});
    for (const Stage stage : skipped.stages)
      variant.rules[stage] = [stage](const Trace& t, const Usual&) { return passed_on(stage, t); };
  }
  return variants;
}

/// The step for both, for the queries alone and for the keys alone.
Variants without_either(const Suspect& suspect, Stage queries, Stage keys, const std::string& step,
                        const std::string& write) {
  return without(suspect, {{{queries, keys}, step + " is left out: queries and keys are used as they are." + write},
                           {{queries}, step + " is left out for the queries; only the keys have it." + write},
                           {{keys}, step + " is left out for the keys; only the queries have it." + write}});
}

}  // namespace

Variants rotation_missing(const Suspect& suspect) {
  return without_either(suspect, Stage::Q_rotated, Stage::K_rotated, "The rotary embedding",
                        " Write q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin).");
}

Variants norm_missing(const Suspect& suspect) {
  return without_either(suspect, Stage::Q_normed, Stage::K_normed, "The norm of queries and keys (QK-norm)",
                        " Write q, k = q_norm(q), k_norm(k).");
}

Variants cap_missing(const Suspect& suspect) {
  return without(suspect, {{{Stage::capped_scores},
                            "The soft-cap is left out: large scores are not bounded. Write scores = cap * "
                            "torch.tanh(scores / cap)."}});
}

Variants bias_of_scores_missing(const Suspect& suspect) {
  const Scenario& s = suspect.run.scenario;
  const bool own = suspect.run.inputs.attn_bias.defined();
  std::vector<std::string> names;
  if (s.any_alibi()) names.emplace_back("ALiBi");
  if (s.t5_bias) names.emplace_back("T5's relative bias");
  if (own) names.emplace_back("the bias of the scores");
  const std::string write = ": nothing is added to the scores. Write scores = scores + bias.";
  std::string all = joined_by_and(names) + (names.size() == 1 ? " is" : " are") + " left out" + write;
  if (!all.empty()) all.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(all.front())));
  Variants variants = without(suspect, {{{Stage::biased_scores}, all}});
  if (names.size() < 2) return variants;
  if (s.any_alibi())
    variants.push_back(
        {"ALiBi is left out" + write, [](Scenario& each) { each.alibi = each.alibi_symmetric = false; }});
  if (s.t5_bias)
    variants.push_back({"T5's relative bias is left out" + write, [](Scenario& each) { each.t5_bias = false; }});
  return variants;
}

// The steps between the scores and the softmax, in another order.
namespace {

const char* words_of(Stage step) {
  switch (step) {
    case Stage::scaled_scores: return "scale";
    case Stage::capped_scores: return "soft-cap";
    case Stage::biased_scores: return "bias";
    default: return "mask";
  }
}

/// The step of this stage, from any scores. `mask` is that of the right run, which a step before the mask does not
/// have yet.
Tensor taken(Stage step, const Tensor& scores, const Trace& t, const Tensor& mask) {
  ScoreSteps steps;
  steps.mask = t.has(Stage::mask) ? t[Stage::mask] : mask;
  std::visit(
      [&](const auto& parameters) {
        if constexpr (requires { steps.take(parameters); }) steps.take(parameters);
      },
      step_of(step).parameters(t));
  return sweep(steps, step, step, scores.contiguous())[step];
}

const char* code_of(Stage step) {
  switch (step) {
    case Stage::scaled_scores: return "scores = scores * scale";
    case Stage::capped_scores: return "scores = cap * torch.tanh(scores / cap)";
    case Stage::biased_scores: return "scores = scores + bias";
    default: return "scores = scores.masked_fill(~mask, float(\"-inf\"))";
  }
}

std::string order_in_code(const std::vector<Stage>& order) {
  std::string text;
  for (const Stage step : order) text += (text.empty() ? "" : "; ") + std::string(code_of(step));
  return text;
}

std::string order_in_words(const std::vector<Stage>& order) {
  std::string text;
  for (const Stage step : order) text += (text.empty() ? "" : ", ") + std::string(words_of(step));
  return text;
}

/// The scores after these steps.
Tensor after(const std::vector<Stage>& steps, const Trace& t, const Tensor& mask) {
  Tensor scores = t[Stage::scores];
  for (const Stage step : steps) scores = taken(step, scores, t, mask);
  return scores;
}

Variant in_order(const std::vector<Stage>& order, const std::vector<Stage>& right, const Tensor& mask) {
  Variant variant{"The steps are in another order: yours is " + order_in_words(order) + "; this model's is " +
                  order_in_words(right) + ". Write " + order_in_code(right) + "."};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<Stage> steps(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (order[i] == Stage::masked_scores) continue;
    variant.rules[order[i]] = [=](const Trace& t, const Usual&) { return after(steps, t, mask); };
  }
  variant.rules[Stage::masked_scores] = [=](const Trace& t, const Usual&) { return after(order, t, mask); };
  return variant;
}

}  // namespace

Variants score_steps_reordered(const Suspect& suspect) {
  const Trace& run = suspect.run;
  std::vector<Stage> right;
  for (const Stage stage : {Stage::scaled_scores, Stage::capped_scores, Stage::biased_scores}) {
    if (run.has(stage)) right.push_back(stage);
  }
  if (run.has(Stage::mask)) right.push_back(Stage::masked_scores);
  // An order that another step's number does not feel gives the run's own numbers, and explains nothing.
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < right.size(); ++i) places.push_back(i);
  Variants variants;
  while (std::ranges::next_permutation(places).found) {
    std::vector<Stage> order;
    for (const std::size_t place : places) order.push_back(right[place]);
    variants.push_back(in_order(order, right, run[Stage::mask]));
    const bool mask_is_last = !run.has(Stage::mask) || order.back() == Stage::masked_scores;
    if (mask_is_last) continue;
    Variant saved_at_once = variants.back();  // masked_scores saved where the mask is applied, not at the end
    const auto mask_at = std::ranges::find(order, Stage::masked_scores);
    saved_at_once.saved[Stage::masked_scores] = [&run, steps = std::vector<Stage>(order.begin(), mask_at + 1)](
                                                    const Tensor&) { return after(steps, run, run[Stage::mask]); };
    variants.push_back(std::move(saved_at_once));
  }
  Variant& late = variants.emplace_back(Variant{
      "The scale comes after the softmax: the weights are scaled, the scores are not. Write weights = (scores * "
      "scale).softmax(dim=-1)."});
  late.settings = [](Scenario& s) { s.scale = 1.0F; };
  late.rare = true;  // without weights it is a forgotten scale
  late.rules[Stage::weights] = [scale = run.scale](const Trace&, const Usual& usual) {
    return each_number(usual(), [scale](float v) { return v * static_cast<float>(scale); });
  };
  return variants;
}

Variants norm_after_rotation(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::Q_normed) || !run.has(Stage::Q_rotated)) return {};
  const std::string text =
      "Queries and keys are rotated before they are normalised; this model normalises first. Write q = "
      "apply_rotary(q_norm(q)).";
  Variant variant{text};
  for (const auto& [heads, normed, rotated] : {std::tuple(Stage::Q_heads, Stage::Q_normed, Stage::Q_rotated),
                                               std::tuple(Stage::K_heads, Stage::K_normed, Stage::K_rotated)}) {
    const auto both = [heads = heads, normed = normed, rotated = rotated](const Trace& t) {
      return normalise_heads(rotate(t[heads], rotation_of(t, rotated)), norm_of(t, normed));
    };
    variant.rules[normed] = variant.rules[rotated] = [both](const Trace& t, const Usual&) { return both(t); };
  }
  Variant saved = variant;
  for (const auto& [heads, rotated] :
       {std::pair(Stage::Q_heads, Stage::Q_rotated), std::pair(Stage::K_heads, Stage::K_rotated)}) {
    saved.saved[rotated] = [turned = rotate(run[heads], rotation_of(run, rotated))](const Tensor&) { return turned; };
  }
  return {variant, saved};
}

}  // namespace headlight::mistakes
