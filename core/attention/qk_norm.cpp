#include "core/attention/qk_norm.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace headlight {
namespace {

double squares_in(std::span<const float> x, double mean) {
  double squares = 0;
  for (const float value : x) squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  return squares;
}

/// A learned number for a channel, or for a channel of a head if there are that many. `usual` if nothing is learned.
double learned(const Tensor& numbers, Index head, Index channel, Index d, double usual) {
  return numbers.defined() ? static_cast<double>(numbers.at({numbers.count() > d ? head * d + channel : channel}))
                           : usual;
}

}  // namespace

double HeadNorm::gain_of(Index head, Index channel, Index d) const { return learned(gain, head, channel, d, 1); }
double HeadNorm::bias_of(Index head, Index channel, Index d) const { return learned(bias, head, channel, d, 0); }

RowNorm norm_of_row(const Tensor& heads, const HeadNorm& norm, Index batch, Index head, Index row) {
  const Index d = heads.size(3), first = norm.over_all_heads ? 0 : head,
              end = norm.over_all_heads ? heads.size(1) : head + 1;
  const auto count = static_cast<double>(d * (end - first));
  double mean = 0, squares = 0;
  for (Index h = first; norm.kind == QkNorm::layer && h < end; ++h) {
    for (const float value : row_of(heads, batch, h, row)) mean += static_cast<double>(value) / count;
  }
  for (Index h = first; h < end; ++h) squares += squares_in(row_of(heads, batch, h, row), mean);
  if (norm.kind == QkNorm::l2) return {0, std::max(std::sqrt(squares), l2_epsilon)};
  return {mean, std::sqrt(squares / count + norm.epsilon)};
}

Tensor normalise_heads(const Tensor& heads, const HeadNorm& norm, const Workers& workers) {
  assert(norm.kind != QkNorm::none);
  const Index count = heads.size(1), rows = heads.size(2), d = heads.size(3);
  assert(!norm.gain.defined() || norm.gain.count() == count * d || (!norm.over_all_heads && norm.gain.count() == d));
  std::vector<RowNorm> shared;  // [B, n], if one norm is over all heads
  if (norm.over_all_heads) {
    for (Index b = 0; b < heads.size(0); ++b) {
      for (Index row = 0; row < rows; ++row) shared.push_back(norm_of_row(heads, norm, b, 0, row));
    }
  }
  std::vector<double> gains, biases;  // [H, d]
  for (Index h = 0; h < count; ++h) {
    for (Index i = 0; i < d; ++i) {
      gains.push_back(norm.gain_of(h, i, d));
      biases.push_back(norm.bias_of(h, i, d));
    }
  }
  return by_rows(heads.shape(), 8, workers, [&](Index b, Index h, Index row, std::span<float> to) {
    const std::span<const float> from = row_of(heads, b, h, row);
    const auto [mean, divisor] =
        shared.empty() ? norm_of_row(heads, norm, b, h, row) : shared[static_cast<std::size_t>(b * rows + row)];
    const double *gain = gains.data() + h * d, *bias = biases.data() + h * d;
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<float>((static_cast<double>(from[i]) - mean) / divisor * gain[i] + bias[i]);
  });
}

}  // namespace headlight
