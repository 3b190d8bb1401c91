// Something that is added to what attention gives, or to what its output projection is given.

#include <tuple>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/projection.h"
#include "core/compute/network/layers.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {
namespace {

Tensor sum(const Tensor& a, const Tensor& b) {
  const Tensor packed = b.contiguous();
  std::size_t i = 0;
  return each_number(a, [&](float v) { return v + packed.values()[i++]; });
}

/// Each vector of x [B, n, d] plus b [d].
Tensor plus_vector(const Tensor& x, const Tensor& b) {
  const Tensor packed = b.contiguous();
  const std::size_t d = packed.values().size();
  std::size_t i = 0;
  return each_number(x, [&](float v) { return v + packed.values()[i++ % d]; });
}

/// Sums around the output projection that are seen where all of it has one width.
Variants added_around_projection(const Trace& run) {
  if (!run.has(Stage::W_o) || run[Stage::output].shape() != run[Stage::concat].shape()) return {};
  const std::string write = " Write output = out_proj(concat).";
  Variants variants;
  const auto add = [&](const std::string& what, const Rule& rule) {
    variants.push_back({.explanation = what + write, .rules = {{Stage::output, rule}}, .rare = true});
  };
  add("The heads' outputs are added to the output, past the output projection.",
      [](const Trace& t, const Usual& usual) { return sum(usual(), t[Stage::concat]); });
  add("A ReLU of the output is added to the heads' outputs.", [](const Trace& t, const Usual& usual) {
    return sum(each_number(usual(), [](float v) { return v > 0 ? v : 0; }), t[Stage::concat]);
  });
  if (run.has(Stage::b_o))
    add("The bias b_o is added before the output projection, not after it.", [](const Trace& t, const Usual&) {
      return project(plus_vector(t[Stage::concat], t[Stage::b_o]), t[Stage::W_o], {});
    });
  if (run[Stage::query].defined() && run[Stage::query].shape() == run[Stage::concat].shape())
    add("The output projection is given the layer's input, not the heads' outputs.",
        [](const Trace& t, const Usual&) { return project(t[Stage::query], t[Stage::W_o], t[Stage::b_o]); });
  if (run[Stage::query].defined() && run[Stage::query].shape() == run[Stage::concat].shape())
    add("The layer's input is added to the heads' outputs before the output projection.",
        [](const Trace& t, const Usual&) {
          return project(sum(t[Stage::concat], t[Stage::query]), t[Stage::W_o], t[Stage::b_o]);
        });
  return variants;
}

}  // namespace

Variants residual_included(const Suspect& suspect) {
  const Tensor& x = suspect.run[Stage::query];
  Variants variants;
  if (suspect.run.has(Stage::Q_heads)) {
    const Rule with_queries = [](const Trace& t, const Usual& usual) {
      return sum(usual(), t[*t.standing_for(Stage::Q_scaled)]);
    };
    if (suspect.run[Stage::Q_heads].shape() == suspect.run[Stage::head_outputs].shape())
      variants.push_back({.explanation = "The queries are added to what the heads gather. Write weights @ V.",
                          .rules = {{Stage::head_outputs, with_queries}}});
  }
  if (suspect.run.has(Stage::V_heads) && suspect.run.dims().n_q == suspect.run.dims().n_k)
    variants.push_back({.explanation = "The values are added to what the heads gather. Write weights @ V.",
                        .rules = {{Stage::head_outputs, [](const Trace& t, const Usual& usual) {
                                     const Tensor gathered = usual();
                                     return sum(gathered, with_heads_of(gathered, t[Stage::V_heads]));
                                   }}}});
  append(variants, added_around_projection(suspect.run));
  for (const Tensor& added : {x, residual_of(suspect.run)}) {
    if (!added.defined() || added.shape() != suspect.run[Stage::output].shape()) continue;
    const auto with_input = [added](const Trace&, const Usual& usual) { return sum(usual(), added); };
    for (const auto& [of_input, of_output, what] :
         {std::tuple(1.0F, -1.0F, "The output is subtracted from the layer's input, x − output."),
          std::tuple(-1.0F, 1.0F, "The layer's input is subtracted from the output."),
          std::tuple(0.7071067812F, 0.7071067812F,
                     "The layer's input is added to the output, and the sum is divided by √2.")})
      variants.push_back({.explanation = std::string(what) + " Write output = out_proj(concat).",
                          .rules = {{Stage::output,
                                     [=](const Trace&, const Usual& usual) {
                                       const auto times = [](const Tensor& y, float by) {
                                         return each_number(y, [by](float v) { return v * by; });
                                       };
                                       return sum(times(usual(), of_output), times(added, of_input));
                                     }}},
                          .rare = true});
    const auto normed = [added](const Trace&, const Usual& usual) {
      return normalise(sum(usual(), added), {.kind = NormKind::layer, .weight = {}, .bias = {}});
    };
    variants.push_back(
        {.explanation = "The layer's input is added to the output: that is the residual connection around attention, "
                        "not attention itself; save the output before x + output. Write output = out_proj(concat).",
         .rules = {{Stage::output, with_input}}});
    for (const NormKind kind : {NormKind::layer, NormKind::rms}) {
      const Tensor normed_input = normalise(added, {.kind = kind, .weight = {}, .bias = {}});
      variants.push_back(
          {.explanation = "The layer's input, normalised, is added to the output: that is a residual "
                          "connection around attention, not attention itself; save the output before "
                          "norm(x) + output. Write output = out_proj(concat).",
           .rules = {{Stage::output,
                      [normed_input](const Trace&, const Usual& usual) { return sum(usual(), normed_input); }}},
           .rare = true});
    }
    variants.push_back(
        {.explanation = "The layer's input is added to the output and the sum is normalised: those are the residual "
                        "connection and the norm after attention; save the output before norm(x + output). Write "
                        "output = out_proj(concat).",
         .rules = {{Stage::output, normed}}});
  }
  return variants;
}

}  // namespace headlight::mistakes
