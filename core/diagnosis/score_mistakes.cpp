// Scaling, softmax axes, and queries and keys that have changed places.
#include <cmath>

#include "core/attention/projection.h"
#include "core/attention/softmax.h"
#include "core/diagnosis/mistake_kinds.h"

namespace headlight::mistakes {
namespace {

using Usual = std::function<Tensor()>;

Variant scaled_by(double scale, std::string explanation) {
  return {std::move(explanation), [scale](Scenario& s) { s.scale = static_cast<float>(scale); }};
}

const char* right_scale(const Suspect& suspect) {
  return suspect.run.scenario.scale ? "scores = Q @ K.transpose(-2, -1) * scale, with the scale of this run."
                                    : "scores = Q @ K.transpose(-2, -1) / math.sqrt(d_head).";
}

/// Softmax over another axis than the keys; the sink's logits belong to a row of keys and have no place there.
Tensor softmax_over(const Tensor& scores, Index axis) {
  return softmax(scores.transpose(axis, 3).contiguous()).transpose(axis, 3).contiguous();
}

Variant softmax_variant(Index axis, std::string explanation) {
  Variant variant{std::move(explanation)};
  variant.rules[Stage::weights] = [axis](const Trace& t, const Usual&) {
    return softmax_over(t[Stage::masked_scores], axis);
  };
  return variant;
}

Tensor turned(const Tensor& scores) { return scores.transpose(2, 3).contiguous(); }

/// Q and K made from each other's parameters or inputs.
Variant swapped(Stage x_q, Stage x_k, bool weights, std::string explanation) {
  Variant variant{std::move(explanation)};
  const Stage W_q = weights ? Stage::W_k : Stage::W_q, b_q = weights ? Stage::b_k : Stage::b_q;
  const Stage W_k = weights ? Stage::W_q : Stage::W_k, b_k = weights ? Stage::b_q : Stage::b_k;
  variant.rules[Stage::Q] = [=](const Trace& t, const Usual&) { return project(t[x_q], t[W_q], t[b_q]); };
  variant.rules[Stage::K] = [=](const Trace& t, const Usual&) { return project(t[x_k], t[W_k], t[b_k]); };
  return variant;
}

}  // namespace

Variants no_scale(const Suspect& suspect) {
  return {scaled_by(
      1, std::string("The scores are not scaled, so that the softmax is too sharp. Write ") + right_scale(suspect))};
}

Variants scale_by_d_model(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  Variants variants;
  for (const Index width : {d.d_model, d.d_query}) {
    variants.push_back(scaled_by(1 / std::sqrt(static_cast<double>(width)),
                                 "The scores are divided by the square root of the whole width, √" +
                                     std::to_string(width) + ", instead of one head's, √" + std::to_string(d.d_head) +
                                     ". Write " + right_scale(suspect)));
  }
  return variants;
}

Variants scale_multiplied(const Suspect& suspect) {
  const std::string text =
      std::string("The scores are multiplied where they should be divided. Write ") + right_scale(suspect);
  return {scaled_by(std::sqrt(static_cast<double>(suspect.run.dims().d_head)), text),
          scaled_by(1 / static_cast<double>(suspect.run.scale), text)};
}

Variants scale_without_root(const Suspect& suspect) {
  const Index d_head = suspect.run.dims().d_head;
  return {scaled_by(1 / static_cast<double>(d_head), "The scores are divided by d_head, " + std::to_string(d_head) +
                                                         ", instead of its square root. Write " +
                                                         right_scale(suspect))};
}

Variants softmax_over_queries(const Suspect&) {
  return {
      softmax_variant(2,
                      "The softmax runs over the queries: the weights' columns sum to one instead of their rows. Write "
                      "weights = scores.softmax(dim=-1).")};
}

Variants softmax_over_heads(const Suspect&) {
  return {softmax_variant(
      1,
      "The softmax runs over the heads: a cell's weights in all heads sum to one instead of a row's. Write "
      "weights = scores.softmax(dim=-1).")};
}

Variants sigmoid_weights(const Suspect&) {
  Variant variant{
      "The weights are a sigmoid of each score by itself, so that rows do not sum to one. Write weights = "
      "scores.softmax(dim=-1)."};
  variant.rules[Stage::weights] = [](const Trace& t, const Usual&) {
    return each_number(t[Stage::masked_scores], [](float s) { return 1 / (1 + std::exp(-s)); });
  };
  return {variant};
}

Variants query_key_swapped(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const std::string text =
      "Queries and keys have changed places: the scores are transposed, row k asks column q. Write scores = Q @ "
      "K.transpose(-2, -1).";
  Variants variants;
  Variant& transposed = variants.emplace_back(Variant{text});
  if (run.dims().n_q == run.dims().n_k) {
    transposed.rules[Stage::scores] = [](const Trace&, const Usual& usual) { return turned(usual()); };
  } else {
    for (const Stage stage : {Stage::scores, Stage::scaled_scores, Stage::capped_scores})
      transposed.saved[stage] = turned;
  }
  const Inputs& in = run.inputs;
  const bool same_inputs = in.query.shape() == in.key.shape();
  const bool same_weights = in.W_q.defined() && in.W_k.defined() && in.W_q.shape() == in.W_k.shape();
  if (same_weights) {
    variants.push_back(
        swapped(Stage::query, Stage::key, true,
                "Queries and keys have changed places: Q is made with the key projection and K with the query "
                "projection. Write Q = q_proj(query); K = k_proj(key)."));
  }
  if (same_inputs && !identical(in.query, in.key)) {
    variants.push_back(
        swapped(Stage::key, Stage::query, false,
                "Queries and keys have changed places: Q is made from the keys' input and K from the queries'. "
                "Write Q = q_proj(query); K = k_proj(key)."));
  }
  return variants;
}

Variants weights_transposed(const Suspect& suspect) {
  Variants variants;
  Variant& saved = variants.emplace_back(Variant{
      "The saved weights are transposed, [key, query] for [query, key], while the values were gathered rightly. Save "
      "weights as softmax(dim=-1) gives them."});
  saved.saved[Stage::weights] = saved.saved[Stage::dropped_weights] = turned;
  if (suspect.run.dims().n_q == suspect.run.dims().n_k) {
    Variant& used = variants.emplace_back(Variant{
        "The values are gathered with the weights transposed: a key's column takes the place of a query's row. Write "
        "weights @ V, without a transpose."});
    used.rules[Stage::head_outputs] = [](const Trace& t, const Usual&) {
      return gather_values(turned(t[*t.standing_for(Stage::dropped_weights)]), t[Stage::V_heads]);
    };
    Variant& both = variants.emplace_back(used);
    both.saved = variants.front().saved;
  }
  return variants;
}

}  // namespace headlight::mistakes
