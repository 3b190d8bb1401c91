#include "core/compute/network/layers.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/kernels/kernels.h"

namespace headlight {
namespace {

constexpr Index cells_a_block = 16384;

/// Calls body(first, count) for blocks of `cells` numbers, on the worker threads.
void in_blocks(Index cells, double cost, const Workers& workers, const std::function<void(Index, Index)>& body) {
  workers.run((cells + cells_a_block - 1) / cells_a_block, cost * static_cast<double>(cells), [&](Index block) {
    const Index first = block * cells_a_block;
    body(first, std::min(cells_a_block, cells - first));
  });
}

void normalise_row(const float* from, float* to, Index d, const Norm& norm) {
  double mean = 0, squares = 0;
  const bool centred = norm.kind == NormKind::layer;
  if (centred) {
    for (Index i = 0; i < d; ++i) mean += static_cast<double>(from[i]);
    mean /= static_cast<double>(d);
  }
  for (Index i = 0; i < d; ++i) {
    const double v = static_cast<double>(from[i]) - mean;
    squares += v * v;
  }
  const auto scale = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(d) + norm.epsilon));
  const auto shift = static_cast<float>(mean);
  const float* weight = norm.weight.defined() ? norm.weight.values().data() : nullptr;
  const float* bias = norm.bias.defined() ? norm.bias.values().data() : nullptr;
  for (Index i = 0; i < d; ++i) {
    float v = (from[i] - shift) * scale;
    if (weight) v *= weight[i];
    to[i] = bias ? v + bias[i] : v;
  }
}

std::vector<double> scores_of(std::span<const float> logits, Scoring scoring) {
  std::vector<double> scores;
  double all = 0;
  const double top = static_cast<double>(*std::ranges::max_element(logits));
  for (const float logit : logits) {
    const auto x = static_cast<double>(logit);
    scores.push_back(scoring == Scoring::softmax ? std::exp(x - top) : 1 / (1 + std::exp(-x)));
    all += scores.back();
  }
  for (double& score : scores) score /= scoring == Scoring::softmax ? all : 1;
  return scores;
}

std::vector<std::size_t> descending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return values[i]; });
  return order;
}

/// The experts of the best groups, the best first.
std::vector<std::size_t> candidates(std::span<const double> compared, const MixtureSpec& spec) {
  std::vector<std::size_t> order = descending(compared);
  if (spec.groups <= 1) return order;
  const std::size_t size = compared.size() / static_cast<std::size_t>(spec.groups);
  std::vector<double> scores(static_cast<std::size_t>(spec.groups), 0.0);
  std::vector<Index> counted(scores.size(), 0);
  for (const std::size_t i : order) {
    if (counted[i / size]++ < spec.best_of_group) scores[i / size] += compared[i];
  }
  std::vector<std::size_t> groups = descending(scores);
  groups.resize(static_cast<std::size_t>(spec.chosen_groups));
  std::erase_if(order, [&](std::size_t i) { return std::ranges::find(groups, i / size) == groups.end(); });
  return order;
}

/// combine(a, b) of each number of two tensors of one shape.
template <typename Combine>
Tensor pairwise(const Tensor& left, const Tensor& right, const Workers& workers, Combine combine) {
  assert(left.shape() == right.shape());
  const Tensor a = left.contiguous(), b = right.contiguous();
  Buffer values(static_cast<std::size_t>(left.count()));
  in_blocks(left.count(), 20, workers, [&](Index first, Index count) {
    const float *from_a = a.values().data() + first, *from_b = b.values().data() + first;
    for (Index i = 0; i < count; ++i) values[static_cast<std::size_t>(first + i)] = combine(from_a[i], from_b[i]);
  });
  return Tensor(left.shape(), std::move(values));
}

constexpr float root = 0.7978845608028654F;  // √(2/π)

float gelu_tanh(float x) { return 0.5F * x * (1 + std::tanh(root * (x + 0.044715F * x * x * x))); }

/// The same for many numbers, with a vectorised tanh.
void gelu_tanh(const float* x, float* to, Index count) {
  for (Index i = 0; i < count; ++i) to[i] = root * (x[i] + 0.044715F * x[i] * x[i] * x[i]);
  kernels().cap(to, count, 1);
  for (Index i = 0; i < count; ++i) to[i] = 0.5F * x[i] * (1 + to[i]);
}

}  // namespace

Tensor normalise(const Tensor& x, const Norm& norm, const Workers& workers) {
  if (norm.kind == NormKind::none) return x;
  const Tensor packed = x.contiguous();
  const Index d = x.size(-1);
  const float* const from = packed.values().data();
  return by_rows(
             {1, 1, x.count() / d, d}, 6, workers,
             [&](Index, Index, Index row, std::span<float> to) { normalise_row(from + row * d, to.data(), d, norm); })
      .view(x.shape());
}

float activate(float x, Activation activation) {
  switch (activation) {
    case Activation::gelu: return 0.5F * x * (1 + std::erf(x * std::numbers::sqrt2_v<float> / 2));
    case Activation::gelu_tanh: return gelu_tanh(x);
    case Activation::quick_gelu: return x / (1 + std::exp(-1.702F * x));
    case Activation::relu: return x < 0 ? 0 : x;  // keeps NaN
    case Activation::squared_relu: return x < 0 ? 0 : x * x;
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::tanh: return std::tanh(x);
    case Activation::identity: return x;
  }
  return x;
}

Tensor activate(const Tensor& x, Activation activation, const Workers& workers) {
  if (activation == Activation::identity) return x;
  const Tensor packed = x.contiguous();
  Buffer values(static_cast<std::size_t>(x.count()));
  in_blocks(x.count(), 20, workers, [&](Index first, Index count) {
    const float* from = packed.values().data() + first;
    float* to = values.data() + first;
    if (activation == Activation::gelu_tanh) return gelu_tanh(from, to, count);
    for (Index i = 0; i < count; ++i) to[i] = activate(from[i], activation);
  });
  return Tensor(x.shape(), std::move(values));
}

Tensor gated(const Tensor& gate, const Tensor& up, Activation activation, const Workers& workers) {
  return pairwise(gate, up, workers, [=](float g, float u) { return activate(g, activation) * u; });
}

Tensor gated_within(const Tensor& gate, const Tensor& up, double limit, const Workers& workers) {
  const auto most = static_cast<float>(limit);
  return pairwise(gate, up, workers, [=](float g, float u) {
    return activate(std::min(g, most), Activation::quick_gelu) * (std::clamp(u, -most, most) + 1);
  });
}

Tensor shares_of_experts(const Tensor& logits, const MixtureSpec& spec, std::span<const float> correction) {
  const Tensor packed = logits.contiguous();
  const auto count = static_cast<std::size_t>(logits.size(-1));
  Buffer values(static_cast<std::size_t>(logits.count()), 0.0F);
  for (std::size_t first = 0; first < values.size(); first += count) {
    const std::vector<double> scores = scores_of(packed.values().subspan(first, count), spec.scoring);
    std::vector<double> compared = scores;
    for (std::size_t i = 0; i < correction.size(); ++i) compared[i] += static_cast<double>(correction[i]);
    std::vector<std::size_t> best = candidates(compared, spec);
    best.resize(std::min(best.size(), static_cast<std::size_t>(spec.chosen)));
    double kept = 0;
    for (const std::size_t i : best) kept += scores[i];
    for (const std::size_t i : best)
      values[first + i] = static_cast<float>(spec.factor * scores[i] / (spec.renormalised && kept > 0 ? kept : 1));
  }
  return Tensor(logits.shape(), std::move(values));
}

Tensor plus(const Tensor& a, const Tensor& b, double factor) {
  assert(a.shape() == b.shape());
  const Tensor left = a.contiguous(), right = b.contiguous();
  Buffer values(left.values().begin(), left.values().end());
  const auto scale = static_cast<float>(factor);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] += factor == 1 ? right.values()[i] : scale * right.values()[i];
  return Tensor(a.shape(), std::move(values));
}

Tensor times(const Tensor& a, double factor) {
  if (factor == 1) return a;
  return each_number(a, [scale = static_cast<float>(factor)](float value) { return value * scale; });
}

Tensor joined_columns(const Tensor& left, const Tensor& right) {
  Buffer values;
  for (Index b = 0; b < left.size(0); ++b) {
    for (Index row = 0; row < left.size(1); ++row) {
      for (const MatrixView& m : {left.matrix(b), right.matrix(b)}) {
        for (Index col = 0; col < m.cols; ++col) values.push_back(m(row, col));
      }
    }
  }
  return Tensor({left.size(0), left.size(1), left.size(2) + right.size(2)}, std::move(values));
}

}  // namespace headlight
