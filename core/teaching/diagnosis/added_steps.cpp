// Steps that the user's code has and this run does not: an activation, a norm, positions, a projection once more.

#include <algorithm>
#include <cmath>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/projection.h"
#include "core/compute/network/layers.h"
#include "core/scenario/inputs/seeded.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {
namespace {

/// A step that the settings can have; `option` turns it on.
Variant known(const std::string& step, const std::string& option, std::function<void(Scenario&)> turn_on) {
  return {.explanation = "Your code has a step that this run does not have: " + step + ". Compare with " + option +
                         " if it is meant, else leave it out.",
          .settings = std::move(turn_on),
          .rare = true};
}

/// `change` after the stage, or after each of the stages.
Variant after(const std::vector<Stage>& stages, const std::string& what, std::function<Tensor(const Tensor&)> change) {
  std::vector<std::string> names;
  for (const Stage stage : stages) names.emplace_back(name(stage));
  Variant variant{.explanation = what + " after " + joined_by_and(names) +
                                 ", which attention does not have. Leave it out, or save the stage before it."};
  for (const Stage stage : stages)
    variant.rules[stage] = [change](const Trace&, const Usual& usual) { return change(usual()); };
  variant.rare = true;
  return variant;
}

Tensor of_each(const Tensor& x, float (*change)(float)) {
  return each_number(x, [change](float v) { return std::isfinite(v) ? change(v) : v; });
}

/// The scores by a function, or within limits that the user's largest score shows.
void add_to_scores(const Suspect& suspect, Variants& variants) {
  for (const Stage stage : {Stage::scores, Stage::scaled_scores}) {
    variants.push_back(after({stage}, "abs()", [](const Tensor& x) { return of_each(x, std::abs); }));
    variants.push_back(after({stage}, "A ReLU", [](const Tensor& x) { return activate(x, Activation::relu); }));
    variants.push_back(after({stage}, "A tanh", [](const Tensor& x) { return activate(x, Activation::tanh); }));
    std::vector<float> limits{1, 5, 10, 50};
    if (const OwnStage* own = suspect.own.find(stage); own && own->fits) {
      float largest = 0;
      const Tensor values = own->values.contiguous();
      for (const float v : values.values()) largest = std::isfinite(v) ? std::max(largest, std::abs(v)) : largest;
      limits = {largest};
    }
    for (const float limit : limits)
      variants.push_back(
          after({stage}, "clamp(" + shortest(-limit) + ", " + shortest(limit) + ")", [limit](const Tensor& x) {
            return each_number(x, [limit](float v) { return std::clamp(v, -limit, limit); });
          }));
  }
}

/// The mean over the words, [B, n, d], in the place of each.
Tensor mean_over_words(const Tensor& x) {
  const Tensor words = x.contiguous().view({x.size(0), x.size(1), 1, x.size(2)});  // in the place of heads
  return mean_of_heads(words).view(x.shape());
}

/// Each vector divided by its length.
Tensor of_length_1(const Tensor& x) {
  return normalise(x, {.kind = NormKind::rms,
                       .weight = Tensor::full({x.size(-1)}, 1 / std::sqrt(static_cast<float>(x.size(-1)))),
                       .bias = {},
                       .epsilon = 0});
}

void add_known_steps(const Trace& run, Variants& variants) {
  const auto add = [&](const char* step, const char* option, std::function<void(Scenario&)> turn_on) {
    variants.push_back(known(step, option, std::move(turn_on)));
  };
  const Scenario& s = run.scenario;
  if (!run.has(Stage::Q_normed)) {
    const auto normed = [&](const char* what, const char* option, QkNorm kind) {
      add(what, option, [kind](Scenario& to) { to.qk_norm = kind; });
    };
    normed("queries and keys are divided by their lengths (cosine similarity)", "--qk-norm=l2", QkNorm::l2);
    normed("queries and keys are divided by their root mean square", "--qk-norm=rms", QkNorm::rms);
    normed("queries and keys go through a LayerNorm", "--qk-norm=layer", QkNorm::layer);
    add("queries and keys are divided by their lengths, and the scores are not scaled (cosine similarity)",
        "--qk-norm=l2 --scale 1", [](Scenario& to) { to.qk_norm = QkNorm::l2, to.scale = 1.0F; });
  }
  if (!run.has(Stage::Q_rotated) && run.dims().d_head % 2 == 0) {
    add("a rotary embedding of halves", "--rope half", [](Scenario& to) { to.rope = Rope::half; });
    add("a rotary embedding of neighbouring channels", "--rope interleaved",
        [](Scenario& to) { to.rope = Rope::interleaved; });
  }
  if (!s.any_alibi() && !run.has(Stage::biased_scores))
    add("ALiBi's bias", "--alibi", [](Scenario& to) { to.alibi = true; });
}

}  // namespace

Variants step_added(const Suspect& suspect) {
  const Trace& run = suspect.run;
  Variants variants;
  add_known_steps(run, variants);
  const std::vector<std::pair<const char*, Activation>> activations{{"A ReLU", Activation::relu},
                                                                    {"A GELU", Activation::gelu},
                                                                    {"A SiLU", Activation::silu},
                                                                    {"A tanh", Activation::tanh}};
  std::vector<std::vector<Stage>> places{{Stage::output}, {Stage::Q, Stage::K}, {Stage::Q, Stage::K, Stage::V}};
  for (const Stage one : {Stage::Q, Stage::K, Stage::V, Stage::concat}) places.push_back({one});
  for (const std::vector<Stage>& stages : places) {
    for (const auto& [what, activation] : activations) {
      const auto change = [activation = activation](const Tensor& x) { return activate(x, activation); };
      variants.push_back(after(stages, what, change));
    }
  }
  const std::pair<const char*, NormKind> norms[] = {{"A LayerNorm", NormKind::layer}, {"An RMSNorm", NormKind::rms}};
  for (const auto& [what, kind] : norms) {
    const auto change = [kind = kind](const Tensor& x) {
      return normalise(x, {.kind = kind, .weight = {}, .bias = {}});
    };
    variants.push_back(after({Stage::output}, what, change));
    variants.push_back(after({Stage::concat}, what, change));
    variants.push_back(after({Stage::head_outputs}, what, change));
  }
  add_to_scores(suspect, variants);
  variants.push_back(after({Stage::output}, "The mean over the words", mean_over_words));
  variants.push_back(after({Stage::output}, "A division by its length, as F.normalize has it,", of_length_1));
  const Tensor &W = run[Stage::W_o], &b = run[Stage::b_o];
  if (W.defined() && W.size(0) == W.size(1))
    variants.push_back(after({Stage::output}, "The output projection once more",
                             [W, b](const Tensor& x) { return project(x, W, b); }));
  if (run.has(Stage::query) && run[Stage::query].rank() == 3 && run.inputs.first_stage() == Stage::query) {
    variants.push_back(
        after({Stage::query, Stage::key, Stage::value}, "Sinusoidal positions are added", with_positions));
    variants.push_back(after({Stage::query, Stage::key}, "Sinusoidal positions are added", with_positions));
    const auto of_sequences = [](const Tensor& x) {
      return with_positions(x.transpose(0, 1).contiguous()).transpose(0, 1).contiguous();
    };
    variants.push_back(after({Stage::query, Stage::key, Stage::value},
                             "The sinusoidal position of the sequence in the batch, pe[:B], is added", of_sequences));
  }
  append(variants, input_scaled(suspect));
  return variants;
}

}  // namespace headlight::mistakes
