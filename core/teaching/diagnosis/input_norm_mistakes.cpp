// The norm of the layer's input: left out, taken twice, over another axis, with other numbers.

#include <algorithm>
#include <optional>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/network/network.h"
#include "core/compute/network/weights.h"
#include "core/scenario/inputs/inputs.h"
#include "core/teaching/diagnosis/fitted_number.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {
namespace {

/// What a network's block normalises before its attention, and how.
struct InputNorm {
  Tensor residual;  ///< [B, n, width]
  Norm norm;
};

std::optional<InputNorm> input_norm(const Suspect& suspect) {
  const Tensor residual = residual_of(suspect.run);
  if (!residual.defined() || !suspect.run.inputs.self_attention()) return {};
  const Network& network = *network_of(suspect.run.inputs)->network;
  const NormSpec& spec = network.block_of(network.layer_or_first(suspect.run.scenario.layer)).before_attention;
  if (spec.kind == NormKind::none) return {};
  return InputNorm{residual, read_norm(network.checkpoint(), spec)};
}

enum class Side : std::uint8_t { both, queries, keys };

/// Queries, keys and values are made from x; or only the queries, or only keys and values.
Variant made_from(const Tensor& x, std::string explanation, Side side = Side::both) {
  Variant variant{std::move(explanation)};
  const Rule given = [x](const Trace&, const Usual&) { return x; };
  if (side != Side::keys) variant.rules[Stage::query] = given;
  if (side != Side::queries) variant.rules[Stage::key] = variant.rules[Stage::value] = given;
  return variant;
}

const char* of_side(Side side) {
  return side == Side::queries ? "the queries" : side == Side::keys ? "keys and values" : "queries, keys and values";
}

constexpr Side sides[] = {Side::both, Side::queries, Side::keys};

/// x · weight + bias for each channel.
Tensor with_weights(const Tensor& x, const Norm& norm) {
  const Index d = x.size(-1);
  const Tensor weight = norm.weight.defined() ? norm.weight.contiguous() : Tensor::full({d}, 1);
  const Tensor bias = norm.bias.defined() ? norm.bias.contiguous() : Tensor::full({d}, 0);
  std::size_t i = 0;
  return each_number(x, [&](float v) {
    const std::size_t channel = i++ % static_cast<std::size_t>(d);
    return v * weight.values()[channel] + bias.values()[channel];
  });
}

Norm without_weights(Norm norm) {
  norm.weight = norm.bias = Tensor();
  return norm;
}

/// x [B, n, d] normalised along axis 1 or 0, or over words and channels at once (axis −1).
Tensor normed_along(const Tensor& x, Index axis, const Norm& norm) {
  if (axis < 0) return normalise(x.contiguous().view({x.size(0), 1, x.size(1) * x.size(2)}), norm).view(x.shape());
  return normalise(x.transpose(axis, 2).contiguous(), norm).transpose(axis, 2).contiguous();
}

const char* write_norm = " Write attn(norm(x)).";

}  // namespace

Tensor residual_of(const Trace& run) {
  const std::shared_ptr<const NetworkRun> pass = network_of(run.inputs);
  const Tensor& x = run[Stage::query];
  if (!pass || !pass->network || !x.defined()) return {};
  const auto layer = static_cast<std::size_t>(pass->network->layer_or_first(run.scenario.layer));
  if (layer >= pass->layers.size()) return {};
  const Tensor& residual = pass->layers[layer].residual;
  return residual.defined() && residual.shape() == x.shape() ? residual.contiguous() : Tensor();
}

Variants input_norm_missing(const Suspect& suspect) {
  const std::optional<InputNorm> known = input_norm(suspect);
  if (!known) return {};
  Variants variants;
  for (const Side side : sides) {
    variants.push_back(made_from(known->residual,
                                 std::string("The norm before the attention is left out: ") + of_side(side) +
                                     " are made from the residual stream itself." + write_norm,
                                 side));
  }
  return variants;
}

Variants input_normalised(const Suspect& suspect) {
  const Inputs& in = suspect.run.inputs;
  const Tensor& x = suspect.run[Stage::query];
  if (in.first_stage() != Stage::query || !x.defined() || x.rank() != 3 || !in.self_attention()) return {};
  const std::optional<InputNorm> known = input_norm(suspect);
  Variants variants;
  const auto add = [&](const Norm& norm, const std::string& what) {
    for (const Side side : sides) {
      variants.push_back(made_from(normalise(x.contiguous(), norm),
                                   std::string("The input of ") + of_side(side) + " is normalised " +
                                       (known ? "twice: it is the norm of the residual stream already, and your code "
                                                "normalises it again"
                                              : "first, which this run does not do: it takes the input as it is") +
                                       " (" + what + ")." +
                                       (known ? write_norm : " Write q_proj(x), k_proj(x), v_proj(x)."),
                                   side));
    }
  };
  if (known) add(known->norm, "the block's norm");
  add({.kind = NormKind::layer, .weight = {}, .bias = {}, .epsilon = 1e-5}, "LayerNorm without weights");
  for (const double epsilon : {1e-6, 1e-5})
    add({.kind = NormKind::rms, .weight = {}, .bias = {}, .epsilon = epsilon}, "RMSNorm without weights");
  return variants;
}

Variants input_norm_off(const Suspect& suspect) {
  const std::optional<InputNorm> known = input_norm(suspect);
  if (!known) return {};
  const auto& [x, now] = *known;
  const bool centred = now.kind == NormKind::layer;
  const std::string start = "The norm before the attention ";
  Variants variants;
  const auto add = [&](const Tensor& made, const std::string& what) {
    variants.push_back(made_from(made, start + what));
  };
  Norm other = now;
  other.kind = centred ? NormKind::rms : NormKind::layer;
  for (const double epsilon : {now.epsilon, 1e-5, 1e-6}) {
    other.epsilon = epsilon;
    const std::string which = centred ? "is RMSNorm, which does not take the mean away; this model's is LayerNorm."
                                      : "is LayerNorm, which takes the mean away; this model's is RMSNorm.";
    for (const Norm& each : {other, without_weights(other)}) add(normalise(x, each), which + write_norm);
    Norm unbiased = other;
    unbiased.bias = Tensor();
    if (other.bias.defined()) add(normalise(x, unbiased), which + write_norm);
  }
  for (const auto& [axis, what] :
       {std::pair(Index{1}, "runs over the words"), std::pair(Index{0}, "runs over the batch"),
        std::pair(Index{-1}, "runs over words and channels at once")}) {
    const Tensor made = normed_along(x, axis, without_weights(now));
    for (const Tensor& each : {with_weights(made, now), made})
      add(each, std::string(what) + " in place of each word's channels. Write norm(x, dim=-1).");
  }
  if (now.weight.defined()) {
    add(normalise(x, without_weights(now)), "does not use its learned weights. Write x = norm(x) * weight.");
    Norm moved = now;
    for (const float by : {1.0F, -1.0F}) {
      moved.weight = each_number(now.weight, [by](float w) { return w + by; });
      add(normalise(x, moved), by > 0 ? "adds 1 to its learned weights. Write x = norm(x) * weight."
                                      : "multiplies by the stored weight, where this model multiplies by 1 + weight. "
                                        "Write x = norm(x) * (1 + weight).");
    }
  }
  Norm unbiased = now;
  unbiased.bias = Tensor();
  if (now.bias.defined()) add(normalise(x, unbiased), "does not add its bias. Write x = norm(x) * weight + bias.");
  return variants;
}

Variants input_norm_epsilon(const Suspect& suspect) {
  const std::optional<InputNorm> known = input_norm(suspect);
  if (!known) return {};
  const auto with = [known](double epsilon) {
    Norm norm = known->norm;
    norm.epsilon = epsilon;
    return made_from(normalise(known->residual, norm), {});
  };
  const std::string now = formatted("%.6g", known->norm.epsilon);
  const auto words = [now](const std::string& yours) {
    return "The epsilon of the norm before the attention is another one: your code has " + yours + ", this model " +
           now + ". Write eps=" + now + "  # yours: " + yours + ".";
  };
  return fitted(suspect, {.now = known->norm.epsilon,
                          .low = 1e-12,
                          .high = 10,
                          .usual = {1e-5, 1e-6, 1e-8, 1e-12, 1e-3, 1e-2},
                          .with = with,
                          .words = words});
}

}  // namespace headlight::mistakes
