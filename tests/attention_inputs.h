// Small seeded inputs, and a reference implementation of attention as plain float64 loops.
#pragma once

#include <cmath>
#include <vector>

#include "core/base/tensor/sampler.h"
#include "core/compute/attention/sweep.h"
#include "core/compute/run/pipeline.h"

namespace headlight {

struct Sizes {
  Index batch = 2, heads = 4, kv_heads = 4, n_q = 5, n_k = 5, d_model = 16;
  bool self = true;
};

inline Tensor sampled(const Shape& shape, std::string_view stream, float reach = 0.5F) {
  return Sampler(11, stream).uniform(shape, -reach, reach);
}

/// The single step of the scores that computes `stage` from the stage before it.
inline Tensor one_step(const ScoreSteps& steps, Stage stage, const Tensor& before = {}) {
  return sweep(steps, stage, stage, before)[stage];
}

inline Inputs small_inputs(const Sizes& s = {}) {
  Inputs in;
  const Index d_head = s.d_model / s.heads, d = s.d_model;
  in.dims = {.batch = s.batch,
             .heads = s.heads,
             .kv_heads = s.kv_heads,
             .n_q = s.n_q,
             .n_k = s.n_k,
             .d_query = d,
             .d_key = d,
             .d_value = d,
             .d_model = d,
             .d_head = d_head,
             .d_out = d};
  in.query = sampled({s.batch, s.n_q, d}, "query", 1);
  in.key = s.self ? in.query : sampled({s.batch, s.n_k, d}, "key", 1);
  in.value = s.self ? in.query : sampled({s.batch, s.n_k, d}, "value", 1);
  in.W_q = sampled({d, d}, "W_q");
  in.W_k = sampled({s.kv_heads * d_head, d}, "W_k");
  in.W_v = sampled({s.kv_heads * d_head, d}, "W_v");
  in.W_o = sampled({d, d}, "W_o");
  in.b_q = sampled({d}, "b_q");
  in.b_k = sampled({s.kv_heads * d_head}, "b_k");
  in.b_v = sampled({s.kv_heads * d_head}, "b_v");
  in.b_o = sampled({d}, "b_o");
  return in;
}

inline std::shared_ptr<const Trace> traced(const Inputs& inputs, const Scenario& scenario = {}) {
  return compute(scenario, inputs, nullptr, {});
}

/// x Wᵀ + b with float64 sums: [n, in] [out, in] [out] → [n, out].
inline std::vector<double> naive_projection(const MatrixView& x, const Tensor& weight, const Tensor& bias) {
  std::vector<double> to;
  for (Index row = 0; row < x.rows; ++row) {
    for (Index col = 0; col < weight.size(0); ++col) {
      double sum = bias.defined() ? static_cast<double>(bias.at({col})) : 0;
      for (Index i = 0; i < x.cols; ++i)
        sum += static_cast<double>(x(row, i)) * static_cast<double>(weight.at({col, i}));
      to.push_back(sum);
    }
  }
  return to;
}

/// Plain multi-head attention with loops over single numbers, no mask: [B, n_q, d_out].
inline Tensor naive_attention(const Inputs& in) {
  const Dims& dims = in.dims;
  const auto n_q = static_cast<std::size_t>(dims.n_q), n_k = static_cast<std::size_t>(dims.n_k);
  const auto d = static_cast<std::size_t>(dims.d_head), channels = static_cast<std::size_t>(dims.heads) * d;
  const auto kv_channels = static_cast<std::size_t>(dims.kv_heads) * d;
  Buffer output;
  for (Index b = 0; b < dims.batch; ++b) {
    const std::vector<double> Q = naive_projection(in.query.matrix(b), in.W_q, in.b_q);
    const std::vector<double> K = naive_projection(in.key.matrix(b), in.W_k, in.b_k);
    const std::vector<double> V = naive_projection(in.value.matrix(b), in.W_v, in.b_v);
    Buffer concat(n_q * channels);
    for (std::size_t h = 0; h < static_cast<std::size_t>(dims.heads); ++h) {
      const std::size_t g = h / static_cast<std::size_t>(dims.groups());
      for (std::size_t q = 0; q < n_q; ++q) {
        std::vector<double> weight(n_k);
        double sum = 0;
        for (std::size_t k = 0; k < n_k; ++k) {
          double score = 0;
          for (std::size_t i = 0; i < d; ++i) score += Q[q * channels + h * d + i] * K[k * kv_channels + g * d + i];
          sum += weight[k] = std::exp(score / std::sqrt(static_cast<double>(d)));
        }
        for (std::size_t i = 0; i < d; ++i) {
          double gathered = 0;
          for (std::size_t k = 0; k < n_k; ++k) gathered += weight[k] / sum * V[k * kv_channels + g * d + i];
          concat[q * channels + h * d + i] = static_cast<float>(gathered);
        }
      }
    }
    const Tensor merged({dims.n_q, dims.heads * dims.d_head}, std::move(concat));
    for (const double x : naive_projection(merged.matrix(), in.W_o, in.b_o)) output.push_back(static_cast<float>(x));
  }
  return Tensor({dims.batch, dims.n_q, dims.d_out}, std::move(output));
}

}  // namespace headlight
