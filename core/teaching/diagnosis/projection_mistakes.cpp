// Mistakes with weights, biases and the inputs of projections.

#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/attention/projection.h"
#include "core/compute/network/layers.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight::mistakes {

namespace {

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

/// A variant for each subset of the projections that can have the mistake.
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
  return joined_by_and(names);
}

/// "The biases b_q and b_k are"
std::string biases_are(const std::vector<Projection>& chosen) {
  return (chosen.size() == 1 ? "The bias " : "The biases ") + names_of(chosen, &Projection::bias) +
         is_or_are(chosen.size());
}

/// x @ W of square weights, with the bias or without one.
Variants not_transposed(const Suspect& suspect, bool with_bias, const std::string& explanation) {
  Variants variants = each_choice(
      [&](const Projection& p) { return is_square(suspect.run[p.weight]) && (with_bias || suspect.run.has(p.bias)); },
      [with_bias](const Trace& t, const Projection& p) {
        const Tensor weight = t[p.weight].transpose(0, 1).contiguous();
        return project(t[p.from], weight, with_bias ? t[p.bias] : Tensor());
      },
      [&](const std::vector<Projection>& chosen) {
        return names_of(chosen, &Projection::weight) + is_or_are(chosen.size()) + explanation;
      });
  for (Variant& variant : variants) variant.rare = !with_bias;
  return variants;
}

}  // namespace

Variants weight_not_transposed(const Suspect& suspect) {
  Variants variants = not_transposed(suspect, true,
                                     " multiplied without the transpose, x @ W: nn.Linear keeps its weight as [out, "
                                     "in]. Write x @ W.T + b.");
  append(variants, not_transposed(suspect, false,
                                  " multiplied without the transpose, and without a bias: x @ W. Write x @ W.T + b."));
  return variants;
}

Variants projection_missing(const Suspect& suspect) {
  return each_choice(
      [&](const Projection& p) {
        return p.made != Stage::output && suspect.run.has(p.weight) && suspect.run.has(p.from) &&
               suspect.run[p.from].shape() == suspect.run[p.made].shape();
      },
      [](const Trace& t, const Projection& p) { return t[p.from]; },
      [](const std::vector<Projection>& chosen) {
        return names_of(chosen, &Projection::made) + is_or_are(chosen.size()) +
               " the layer's input itself: the projection is left out. Write " +
               std::string(name(chosen.front().made)) + " = " + chosen.front().linear + "(x).";
      });
}

Variants bias_missing(const Suspect& suspect) {
  return each_choice(
      [&](const Projection& p) { return suspect.run.has(p.bias); },
      [](const Trace& t, const Projection& p) { return project(t[p.from], t[p.weight], {}); },
      [](const std::vector<Projection>& chosen) { return biases_are(chosen) + " left out. Write x @ W.T + b."; });
}

Variants bias_twice(const Suspect& suspect) {
  Variants variants =
      each_choice([&](const Projection& p) { return suspect.run.has(p.bias); },
                  [](const Trace& t, const Projection& p) {
                    return project(t[p.from], t[p.weight], each_number(t[p.bias], [](float b) { return 2 * b; }));
                  },
                  [](const std::vector<Projection>& chosen) {
                    return biases_are(chosen) + " added twice: nn.Linear adds its bias already. Write " +
                           chosen.front().linear + "(x).";
                  });
  Variants subtracted = each_choice([&](const Projection& p) { return suspect.run.has(p.bias); },
                                    [](const Trace& t, const Projection& p) {
                                      return project(t[p.from], t[p.weight], each_number(t[p.bias], std::negate<>()));
                                    },
                                    [](const std::vector<Projection>& chosen) {
                                      return biases_are(chosen) + " subtracted, not added. Write x @ W.T + b.";
                                    });
  for (Variant& variant : subtracted) variant.rare = true;
  append(variants, std::move(subtracted));
  const Index heads = suspect.run.dims().heads;
  if (heads < 3 || !suspect.run.has(Stage::b_o)) return variants;
  variants.push_back({.explanation = "The bias b_o is added once for each head, " + std::to_string(heads) +
                                     " times. Write output = out_proj(concat).",
                      .rules = {{Stage::output, [heads](const Trace& t, const Usual&) {
                                   const auto times = static_cast<float>(heads);
                                   return project(t[Stage::concat], t[Stage::W_o],
                                                  each_number(t[Stage::b_o], [times](float b) { return b * times; }));
                                 }}}});
  return variants;
}

Variants bias_exchanged(const Suspect& suspect) {
  const Trace& run = suspect.run;
  struct Given {
    std::array<std::size_t, 3> biases;  ///< which bias Q, K and V have
    std::string what;
  };
  const std::array<Given, 6> all{{{{1, 0, 2}, "The biases b_q and b_k have changed places"},
                                  {{0, 2, 1}, "The biases b_k and b_v have changed places"},
                                  {{2, 1, 0}, "The biases b_q and b_v have changed places"},
                                  {{0, 0, 0}, "b_q is added to queries, keys and values"},
                                  {{1, 1, 1}, "b_k is added to queries, keys and values"},
                                  {{2, 2, 2}, "b_v is added to queries, keys and values"}}};
  const std::array<Stage, 3> biases{Stage::b_q, Stage::b_k, Stage::b_v};
  Variants variants;
  for (const Given& given : all) {
    Variant variant{given.what + ". Write F.linear(x, W_q, b_q), F.linear(x, W_k, b_k), F.linear(x, W_v, b_v)."};
    bool fits = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const Projection& p = projections[i];
      const Tensor &own = run[biases[i]], &other = run[biases[given.biases[i]]];
      if (given.biases[i] == i) continue;
      fits = fits && run.has(p.made) && own.defined() && other.defined() && own.shape() == other.shape();
      variant.rules[p.made] = projected(p.from, p.weight, biases[given.biases[i]]);
    }
    if (fits) variants.push_back(std::move(variant));
  }
  return variants;
}

Variants no_output_projection(const Suspect& suspect) {
  if (!suspect.run.has(Stage::W_o)) return {};
  return {{.explanation = "The output projection is missing: the output is the heads put side by side. Write output = "
                          "out_proj(concat).",
           .rules = {{Stage::output, [](const Trace& t, const Usual&) { return t[Stage::concat]; }}}}};
}

Variants value_is_key(const Suspect& suspect) {
  const Inputs& in = suspect.run.inputs;
  const char* text =
      "V is made with the key projection, so that the heads gather keys instead of values. Write V = v_proj(value).";
  Variants variants;
  const Rule copied = [](const Trace& t, const Usual&) { return t[Stage::K]; };
  if (in.W_k.defined() && in.value.size(-1) == in.W_k.size(1))
    variants.push_back({.explanation = text, .rules = {{Stage::V, projected(Stage::value, Stage::W_k, Stage::b_k)}}});
  variants.push_back({.explanation = text, .rules = {{Stage::V, copied}}});
  for (const Stage keys : {Stage::K_rotated, Stage::K_normed, Stage::K_heads}) {
    if (!suspect.run.has(keys) || suspect.run[keys].shape() != suspect.run[Stage::V_heads].shape()) continue;
    const Rule gathered = [keys](const Trace& t, const Usual&) {
      return gather_values(t[*t.standing_for(Stage::dropped_weights)], t[keys]);
    };
    variants.push_back({.explanation = "The weights gather the keys in place of the values. Write weights @ V.",
                        .rules = {{Stage::head_outputs, gathered}}});
  }
  append(variants, cache_given_keys(suspect));
  return variants;
}

Variants projection_repeated(const Suspect& suspect) {
  Variants variants;
  for (const auto& [made, used] : {std::pair(1, 0), std::pair(0, 1), std::pair(2, 0), std::pair(0, 2), std::pair(1, 2),
                                   std::pair(3, 2), std::pair(3, 0), std::pair(3, 1)}) {
    const Projection &own = projections[made], &other = projections[used];
    const Tensor &right = suspect.run[own.weight], &wrong = suspect.run[other.weight];
    if (!right.defined() || !wrong.defined() || right.shape() != wrong.shape()) continue;
    const std::string x = own.made == Stage::output ? "(concat)." : "(x).";
    variants.push_back({.explanation = std::string(name(own.made)) + " is made with the weights of " + other.linear +
                                       ", as " + std::string(name(other.made)) + " is. Write " +
                                       std::string(name(own.made)) + " = " + own.linear + x,
                        .rules = {{own.made, projected(own.from, other.weight, other.bias)}}});
  }
  return variants;
}

Variants wrong_input(const Suspect& suspect) {
  const Inputs& in = suspect.run.inputs;
  if (in.first_stage() != Stage::query || in.self_attention()) return {};
  const std::string write = " Write Q = q_proj(query); K = k_proj(key); V = v_proj(value).";
  Variants variants;
  const auto add = [&](const std::string& what, const std::vector<Stage>& stages, Stage source) {
    const Tensor& x = suspect.run[source];
    Variant variant{what + write};
    bool fits = true;
    for (const Stage stage : stages) {
      fits = fits && x.shape() == suspect.run[stage].shape() && !all_agree(x, suspect.run[stage]);
      variant.rules[stage] = [source](const Trace& t, const Usual&) { return t[source]; };
    }
    if (fits) variants.push_back(std::move(variant));
  };
  const std::string self =
      "Keys and values are made from the queries' input: that is self-attention, where this is cross-attention.";
  add(self, {Stage::key, Stage::value}, Stage::query);
  add("The values are made from the queries' input.", {Stage::value}, Stage::query);
  add("The values are made from the keys' input.", {Stage::value}, Stage::key);
  add("The keys are made from the values' input, which has no positions where those are added to queries and keys.",
      {Stage::key}, Stage::value);
  add("The queries are made from the values' input, which has no positions where those are added to queries and keys.",
      {Stage::query}, Stage::value);
  add("Queries and keys are made from the values' input, which has no positions.", {Stage::query, Stage::key},
      Stage::value);
  add("The queries are made from the keys' input.", {Stage::query}, Stage::key);
  if (in.query.shape() == in.key.shape() || in.query.size(-1) != in.key.size(-1)) return variants;
  Variant& shorter = variants.emplace_back(Variant{self + write});
  shorter.inputs = [](Inputs& inputs) {
    inputs.key = inputs.value = inputs.query;
    inputs.dims.n_k = inputs.dims.n_q;
    inputs.key_tokens = {};
  };
  return variants;
}

Variants projections_chained(const Suspect& suspect) {
  const Trace& run = suspect.run;
  struct Link {
    std::size_t made, of;  ///< which projection takes what another one gave
  };
  const std::pair<std::vector<Link>, const char*> chains[] = {
      {{{2, 1}}, "V is made of K"},
      {{{1, 0}}, "K is made of Q"},
      {{{2, 0}}, "V is made of Q"},
      {{{1, 0}, {2, 0}}, "K and V are made of Q"},
      {{{1, 0}, {2, 1}}, "K is made of Q and V of K"},
  };
  Variants variants;
  for (const auto& [links, what] : chains) {
    Variant variant{std::string(what) +
                    ", the projected numbers, not of the layer's input: a variable was overwritten. "
                    "Write q, k, v = q_proj(x), k_proj(x), v_proj(x)."};
    bool fits = true;
    for (const Link& link : links) {
      const Projection &own = projections[link.made], &other = projections[link.of];
      const Tensor &x = run[other.made], &weight = run[own.weight];
      fits = fits && x.defined() && weight.defined() && run.has(own.made) && x.size(-1) == weight.size(1) &&
             x.size(1) == run[own.made].size(1);
      variant.rules[own.made] = projected(other.made, own.weight, own.bias);
    }
    if (fits) variants.push_back(std::move(variant));
  }
  for (const Projection& own : std::span(projections).first(3)) {
    if (!is_square(run[own.weight]) || !run.has(own.made)) continue;
    const Rule again = [own](const Trace& t, const Usual& usual) {
      return project(usual(), t[own.weight], t[own.bias]);
    };
    variants.push_back({.explanation = std::string(name(own.made)) + " is projected twice. Write " +
                                       std::string(name(own.made)) + " = " + own.linear + "(x).",
                        .rules = {{own.made, again}}});
  }
  return variants;
}

Variants input_scaled(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Tensor& x = run[Stage::query];
  if (!x.defined() || run.inputs.first_stage() != Stage::query) return {};
  const auto width = static_cast<double>(x.size(-1));
  Variants variants;
  for (const auto& [factor, what] :
       {std::pair(std::sqrt(width), "√d_model"), std::pair(1 / std::sqrt(width), "1/√d_model")}) {
    Variant variant{std::string("The layer's input is multiplied by ") + what + ", " + formatted("%.4g", factor) +
                    ", as embeddings are in some models; here it is in the file or does not belong. Write q, k, v = "
                    "q_proj(x), k_proj(x), v_proj(x)."};
    for (const Stage stage : {Stage::query, Stage::key, Stage::value})
      variant.rules[stage] = multiplied_by(static_cast<float>(factor));
    variant.rare = true;
    variants.push_back(std::move(variant));
  }
  return variants;
}

Variants query_bias_after_scale(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::b_q) || !run.has(Stage::Q) || run.has(Stage::Q_normed)) return {};
  Variant variant{
      "The bias of the queries is added after the scale: q = x @ W_q.T * scale + b_q. Write q = (x @ W_q.T + b_q) * "
      "scale."};
  variant.settings = [](Scenario& s) { s.scale = 1.0F; };
  variant.rules[Stage::Q] = [scale = static_cast<float>(run.scale)](const Trace& t, const Usual&) {
    const Tensor weight = each_number(t[Stage::W_q], [scale](float w) { return w * scale; });
    return project(t[Stage::query], weight, t[Stage::b_q]);
  };
  variant.rare = true;
  return {variant};
}

Variants key_value_swapped(const Suspect& suspect) {
  const Inputs& in = suspect.run.inputs;
  const bool projections = in.W_k.defined() && in.W_v.defined() && in.W_k.shape() == in.W_v.shape();
  const bool inputs = in.key.shape() == in.value.shape() && !identical(in.key, in.value);
  if (!projections && !inputs) return {};
  const Rule K =
      projections ? projected(Stage::key, Stage::W_v, Stage::b_v) : projected(Stage::value, Stage::W_k, Stage::b_k);
  const Rule V =
      projections ? projected(Stage::value, Stage::W_k, Stage::b_k) : projected(Stage::key, Stage::W_v, Stage::b_v);
  return {{.explanation =
               "Keys and values have changed places: K is made as V should be and V as K. Write K = k_proj(key); V = "
               "v_proj(value).",
           .rules = {{Stage::K, K}, {Stage::V, V}}}};
}

}  // namespace headlight::mistakes
