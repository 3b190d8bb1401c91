// Weights, biases, and what is projected with what.
#include "core/attention/projection.h"
#include "core/diagnosis/mistake_kinds.h"

namespace headlight::mistakes {
namespace {

using Usual = std::function<Tensor()>;

struct Projection {
  Stage made, from, weight, bias;
  const char* linear;
};
constexpr Projection projections[] = {
    {Stage::Q, Stage::query, Stage::W_q, Stage::b_q, "q_proj"},
    {Stage::K, Stage::key, Stage::W_k, Stage::b_k, "k_proj"},
    {Stage::V, Stage::value, Stage::W_v, Stage::b_v, "v_proj"},
    {Stage::output, Stage::concat, Stage::W_o, Stage::b_o, "out_proj"},
};

bool is_square(const Tensor& weight) { return weight.defined() && weight.size(0) == weight.size(1); }

using Make = std::function<Tensor(const Trace&, const Projection&)>;

/// A variant for each choice of the projections that can go wrong.
template <typename Can, typename Explain>
Variants each_choice(Can can, Make make, Explain explain) {
  std::vector<Projection> candidates;
  for (const Projection& p : projections) {
    if (can(p)) candidates.push_back(p);
  }
  Variants variants;
  for (const unsigned set : subsets(candidates.size())) {
    Variant variant;
    std::vector<Projection> chosen;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if ((set >> i & 1U) == 0) continue;
      chosen.push_back(candidates[i]);
      variant.rules[candidates[i].made] = [make, p = candidates[i]](const Trace& t, const Usual&) {
        return make(t, p);
      };
    }
    variant.explanation = explain(chosen);
    variants.push_back(std::move(variant));
  }
  return variants;
}

std::string names_of(const std::vector<Projection>& chosen, Stage Projection::*parameter) {
  std::vector<std::string> names;
  for (const Projection& p : chosen) names.emplace_back(name(p.*parameter));
  return translated_error(names);
}

Tensor sum(const Tensor& a, const Tensor& b) {
  const Tensor packed = b.contiguous();
  std::size_t i = 0;
  return each_number(a, [&](float v) { return v + packed.values()[i++]; });
}

}  // namespace

Variants weight_not_transposed(const Suspect& suspect) {
  return each_choice([&](const Projection& p) { return is_square(suspect.run[p.weight]); },
                     [](const Trace& t, const Projection& p) {
                       return project(t[p.from], t[p.weight].transpose(0, 1).contiguous(), t[p.bias]);
                     },
                     [](const std::vector<Projection>& chosen) {
                       return names_of(chosen, &Projection::weight) + (chosen.size() == 1 ? " is" : " are") +
                              " multiplied without the transpose, x @ W: nn.Linear keeps its weight as [out, in]. "
                              "Write x @ W.T + b, or " +
                              std::string(chosen.front().linear) + "(x).";
                     });
}

Variants bias_missing(const Suspect& suspect) {
  return each_choice([&](const Projection& p) { return suspect.run.has(p.bias); },
                     [](const Trace& t, const Projection& p) { return project(t[p.from], t[p.weight], {}); },
                     [](const std::vector<Projection>& chosen) {
                       const bool one = chosen.size() == 1;
                       return (one ? "The bias " : "The biases ") + names_of(chosen, &Projection::bias) +
                              (one ? " is" : " are") + " left out. Write x @ W.T + b, or " + chosen.front().linear +
                              "(x).";
                     });
}

Variants bias_twice(const Suspect& suspect) {
  return each_choice(
      [&](const Projection& p) { return suspect.run.has(p.bias); },
      [](const Trace& t, const Projection& p) { return project(t[p.from], t[p.weight], sum(t[p.bias], t[p.bias])); },
      [](const std::vector<Projection>& chosen) {
        const bool one = chosen.size() == 1;
        return (one ? "The bias " : "The biases ") + names_of(chosen, &Projection::bias) + (one ? " is" : " are") +
               " added twice: nn.Linear adds its bias already. Write " + chosen.front().linear +
               "(x) without another + b.";
      });
}

Variants no_output_projection(const Suspect& suspect) {
  if (!suspect.run.has(Stage::W_o)) return {};
  Variant variant{
      "The output projection is missing: the output is the heads put side by side. Write output = out_proj(concat)."};
  variant.rules[Stage::output] = [](const Trace& t, const Usual&) { return t[Stage::concat]; };
  return {variant};
}

Variants residual_included(const Suspect& suspect) {
  const Tensor& x = suspect.run[Stage::query];
  if (!x.defined() || x.shape() != suspect.run[Stage::output].shape()) return {};
  Variant variant{
      "The layer's input is added to the output: that is the residual connection around attention, not attention "
      "itself. Write output = out_proj(concat), and save it before x + output."};
  variant.rules[Stage::output] = [](const Trace& t, const Usual& usual) { return sum(usual(), t[Stage::query]); };
  return {variant};
}

Variants value_is_key(const Suspect& suspect) {
  const Inputs& in = suspect.run.inputs;
  const char* text =
      "V is made with the key projection, so that the heads gather keys instead of values. Write V = v_proj(value).";
  Variants variants;
  if (in.W_k.defined() && in.value.size(-1) == in.W_k.size(1)) {
    Variant& projected = variants.emplace_back(Variant{text});
    projected.rules[Stage::V] = [](const Trace& t, const Usual&) {
      return project(t[Stage::value], t[Stage::W_k], t[Stage::b_k]);
    };
  }
  Variant& copied = variants.emplace_back(Variant{text});
  copied.rules[Stage::V] = [](const Trace& t, const Usual&) { return t[Stage::K]; };
  return variants;
}

Variants key_value_swapped(const Suspect& suspect) {
  const Inputs& in = suspect.run.inputs;
  const bool projections = in.W_k.defined() && in.W_v.defined() && in.W_k.shape() == in.W_v.shape();
  const bool inputs = in.key.shape() == in.value.shape() && !identical(in.key, in.value);
  if (!projections && !inputs) return {};
  const Stage W_k = projections ? Stage::W_v : Stage::W_k, b_k = projections ? Stage::b_v : Stage::b_k;
  const Stage W_v = projections ? Stage::W_k : Stage::W_v, b_v = projections ? Stage::b_k : Stage::b_v;
  const Stage x_k = projections ? Stage::key : Stage::value, x_v = projections ? Stage::value : Stage::key;
  Variant variant{
      "Keys and values have changed places: K is made as V should be and V as K. Write K = k_proj(key); V = "
      "v_proj(value)."};
  variant.rules[Stage::K] = [=](const Trace& t, const Usual&) { return project(t[x_k], t[W_k], t[b_k]); };
  variant.rules[Stage::V] = [=](const Trace& t, const Usual&) { return project(t[x_v], t[W_v], t[b_v]); };
  return {variant};
}

}  // namespace headlight::mistakes
