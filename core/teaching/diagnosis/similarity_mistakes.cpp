// Another measure of how alike a query and a key are in the place of their product, or of its exponential.

#include <algorithm>
#include <cmath>

#include "core/compute/attention/softmax.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight::mistakes {
namespace {

using Row = std::span<const float>;
using OfPair = double (*)(Row query, Row key);

/// [B, H, n_q, n_k] of each query's and each key's channels in a head, as they are multiplied.
Tensor of_pairs(const Trace& t, OfPair of) {
  const Tensor q = t[*t.standing_for(Stage::Q_scaled)].contiguous(),
               k = t[*t.standing_for(Stage::K_rotated)].contiguous();
  const Index B = q.size(0), H = q.size(1), n_q = q.size(2), n_k = k.size(2), d = q.size(3), group = H / k.size(1);
  const auto row = [d](const Tensor& x, Index index) {
    return x.values().subspan(static_cast<std::size_t>(index * d), static_cast<std::size_t>(d));
  };
  Buffer values;
  values.reserve(static_cast<std::size_t>(B * H * n_q * n_k));
  for (Index matrix = 0; matrix < B * H; ++matrix) {
    const Index keys = matrix / H * k.size(1) + matrix % H / group;
    for (Index i = 0; i < n_q; ++i) {
      for (Index j = 0; j < n_k; ++j)
        values.push_back(static_cast<float>(of(row(q, matrix * n_q + i), row(k, keys * n_k + j))));
    }
  }
  return Tensor({B, H, n_q, n_k}, std::move(values));
}

double minus_squared_distance(Row a, Row b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  return -sum;
}
double minus_distance(Row a, Row b) { return -std::sqrt(-minus_squared_distance(a, b)); }
double minus_half_squared(Row a, Row b) { return minus_squared_distance(a, b) / 2; }
double sum_of_distances(Row a, Row b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
  return -sum;
}

template <double (*feature)(double)>
double product_of(Row a, Row b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += feature(static_cast<double>(a[i])) * feature(static_cast<double>(b[i]));
  return sum;
}
double elu_and_one(double x) { return x > 0 ? x + 1 : std::exp(x); }
double positive(double x) { return std::max(x, 0.0); }

/// The weights of likenesses that are 0 or more: each row, without the masked cells, divided by its sum.
Tensor shares(const Trace& t, const Tensor& likeness) {
  const Tensor masked = t[Stage::masked_scores].contiguous();
  const auto n_k = static_cast<std::size_t>(likeness.size(-1));
  Buffer values(likeness.values().begin(), likeness.values().end());
  for (std::size_t first = 0; first < values.size(); first += n_k) {
    float sum = 0;
    for (std::size_t i = first; i < first + n_k; ++i) {
      if (masked.values()[i] < -1e4F) values[i] = 0;
      sum += values[i];
    }
    for (std::size_t i = first; i < first + n_k; ++i) values[i] /= sum;
  }
  return Tensor(likeness.shape(), std::move(values));
}

/// [B, H, n, 1]: each vector's sum over its channels.
Tensor channel_sums(const Tensor& heads) {
  const Tensor ones = Tensor::full({heads.size(0), heads.size(1), heads.size(3), 1}, 1);
  return gather_values(heads.contiguous(), ones);
}

Tensor product_of_sums(const Trace& t) {
  const Tensor q = channel_sums(t[*t.standing_for(Stage::Q_scaled)]), keys = t[*t.standing_for(Stage::K_rotated)];
  const Tensor k = channel_sums(with_heads_of(q, keys));
  return gather_values(q, k.transpose(2, 3).contiguous());
}

/// More are not tried: each needs as many operations as the scores themselves, without vector instructions.
bool is_large(const Trace& run) { return scores_of(run) * run.dims().d_head > 20'000'000; }

}  // namespace

Variants scores_of_distance(const Suspect& suspect) {
  Variants variants;
  variants.push_back({.explanation =
                          "Queries and keys are summed over their channels each for itself, and the sums are "
                          "multiplied, as einsum(\"bhqd,bhke->bhqk\") does. Write scores = Q @ "
                          "K.transpose(-2, -1).",
                      .rules = {{Stage::scores, [](const Trace& t, const Usual&) { return product_of_sums(t); }}},
                      .rare = true});
  if (is_large(suspect.run)) return variants;
  for (const auto& [what, of] : {std::pair<const char*, OfPair>{"squared distances", minus_squared_distance},
                                 {"half the squared distances", minus_half_squared},
                                 {"distances", minus_distance},
                                 {"sums of the channels' distances", sum_of_distances}}) {
    for (const Stage stage : {Stage::scores, Stage::scaled_scores}) {
      const std::string scaled = stage == Stage::scores ? ", then scaled" : "";
      variants.push_back({.explanation = "The scores are minus the " + std::string(what) + " of queries and keys" +
                                         scaled + ", not their products. Write scores = Q @ K.transpose(-2, -1).",
                          .rules = {{stage, [of](const Trace& t, const Usual&) { return of_pairs(t, of); }}},
                          .rare = true});
    }
  }
  return variants;
}

namespace {

/// softmax of the queries over channels · softmax of the keys over words, as efficient attention has it.
Tensor efficient_weights(const Trace& t) {
  const Tensor q = softmax(t[*t.standing_for(Stage::Q_scaled)].contiguous()),
               k = softmax(t[*t.standing_for(Stage::K_rotated)].transpose(2, 3).contiguous());
  return gather_values(q, k);
}

}  // namespace

Variants linear_attention(const Suspect& suspect) {
  Variants variants;
  variants.push_back({.explanation = "There is no softmax of scores: the softmax of the queries over their channels is "
                                     "multiplied by that of the keys over the words, as in efficient attention. Write "
                                     "weights = scores.softmax(dim=-1).",
                      .rules = {{Stage::weights, [](const Trace& t, const Usual&) { return efficient_weights(t); }}},
                      .rare = true});
  if (is_large(suspect.run)) return variants;
  for (const auto& [what, of] : {std::pair<const char*, OfPair>{"elu(x) + 1", product_of<elu_and_one>},
                                 {"relu(x)", product_of<positive>},
                                 {"exp(x)", product_of<std::exp>}}) {
    const Rule rule = [of](const Trace& t, const Usual&) { return shares(t, of_pairs(t, of)); };
    variants.push_back({.explanation = "There is no softmax of scores: the weights are products of " +
                                       std::string(what) +
                                       " of queries and of keys, divided by their row's sum, as in linear attention. "
                                       "Write weights = scores.softmax(dim=-1).",
                        .rules = {{Stage::weights, rule}},
                        .rare = true});
  }
  return variants;
}

}  // namespace headlight::mistakes
