// contribution_norms against loops over single numbers.
#include "core/compute/run/contributions.h"

#include "core/base/tensor/error.h"
#include "core/teaching/explain/explain.h"
#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

/// ‖weights · v_h W_o,hᵀ‖₂ of every cell, computed in float64.
Tensor expected_norms(const Trace& trace) {
  const Tensor &weights = trace[*trace.standing_for(Stage::dropped_weights)], &values = trace[Stage::V_heads];
  const Tensor& W_o = trace.inputs.W_o;
  const Index d = values.size(3), out = W_o.defined() ? W_o.size(0) : d;
  Buffer norms;
  for (Index b = 0; b < weights.size(0); ++b) {
    for (Index h = 0; h < weights.size(1); ++h) {
      for (Index q = 0; q < weights.size(2); ++q) {
        for (Index k = 0; k < weights.size(3); ++k) {
          double squares = 0;
          for (Index j = 0; j < out; ++j) {
            double sum = 0;
            for (Index i = 0; i < d; ++i) {
              const double v = static_cast<double>(values.at({b, h / trace.dims().groups(), k, i}));
              if (W_o.defined()) sum += v * static_cast<double>(W_o.at({j, h * d + i}));
              else if (i == j) sum = v;
            }
            sum *= static_cast<double>(weights.at({b, h, q, k}));
            squares += sum * sum;
          }
          norms.push_back(static_cast<float>(std::sqrt(squares)));
        }
      }
    }
  }
  return Tensor(weights.shape(), std::move(norms));
}

Inputs heads_with_wide_values() {
  Inputs in;
  in.dims = {.batch = 2, .heads = 4, .kv_heads = 2, .n_q = 3, .n_k = 5, .d_model = 16, .d_head = 4, .d_out = 24};
  in.Q_heads = sampled({2, 4, 3, 4}, "Q");
  in.K_heads = sampled({2, 2, 5, 4}, "K");
  in.V_heads = sampled({2, 2, 5, 6}, "V");
  return in;
}

std::vector<std::shared_ptr<const Trace>> cases() {
  Scenario dropping, causal;
  dropping.training = true;
  dropping.dropout = 0.4F;
  causal.mask = "causal()";
  Inputs plain = small_inputs(), turned = small_inputs();
  plain.W_o = plain.b_o = Tensor();
  turned.W_o = turned.W_o.transpose(0, 1).contiguous().transpose(
      0, 1);  // strides of a Conv1D weight, which is stored as [in, out]
  return {traced(small_inputs(), causal),
          traced(small_inputs({.heads = 4, .kv_heads = 2, .n_q = 5, .n_k = 7, .self = false})),
          traced(small_inputs(), dropping),
          traced(plain),
          traced(turned),
          traced(heads_with_wide_values())};
}

}  // namespace

TEST_CASE(
    "contribution_norms is the length of each key's contribution: grouped heads, dropout, any layout, no projection") {
  for (const auto& trace : cases()) CHECK_THAT(contribution_norms(*trace), agrees_with(expected_norms(*trace)));
}

TEST_CASE("a cell of contribution_norms is explained by its weight and the length of its moved value") {
  for (const auto& plain : cases()) {
    CHECK_FALSE(plain->has(Stage::contribution_norms));
    const auto trace = with_contributions(plain);
    CHECK(with_contributions(trace) == trace);
    const Explanation e = explain(*trace, {Stage::contribution_norms, 1, 3, 2, 1});
    double sum = 0;
    for (const Term& term : e.terms) sum += term.factor == 0 ? 0 : term.factor * term.value;
    CHECK(agrees(static_cast<float>(sum), static_cast<float>(e.value)));
    const Index d = (*trace)[Stage::V_heads].size(3), out = trace->inputs.W_o.defined() ? trace->inputs.W_o.size(0) : 0;
    CHECK(std::ssize(e.terms) == 1 + d + out * d);
    CHECK_FALSE(e.formula.empty());
  }
}

TEST_CASE("the shares of a row sum to one, and a row of zeros stays one") {
  const Tensor shares = row_shares(Tensor::of({1, 1, 2, 3}, {1, 3, 4, 0, 0, 0}));
  CHECK_THAT(shares, agrees_with(Tensor::of({1, 1, 2, 3}, {0.125F, 0.375F, 0.5F, 0, 0, 0})));
}

TEST_CASE("contribution_norms is refused where a file has weights but no values") {
  Inputs in;
  in.dims = {.batch = 1, .heads = 2, .kv_heads = 2, .n_q = 3, .n_k = 3, .d_model = 2, .d_head = 1, .d_out = 2};
  in.weights = Tensor::full({1, 2, 3, 3}, 1.0F / 3);
  CHECK_THROWS_AS(contribution_norms(*traced(in)), InputError);
}
