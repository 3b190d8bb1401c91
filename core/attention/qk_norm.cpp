#include "core/attention/qk_norm.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace headlight {
namespace {

double squares_in(std::span<const float> x) {
  double squares = 0;
  for (const float value : x) squares += static_cast<double>(value) * static_cast<double>(value);
  return squares;
}

}  // namespace

double HeadNorm::gain_of(Index head, Index channel, Index d) const {
  if (!gain.defined()) return 1;
  return static_cast<double>(gain.at({over_all_heads ? head * d + channel : channel}));
}

double norm_divisor(const Tensor& heads, const HeadNorm& norm, Index batch, Index head, Index row) {
  const Index d = heads.size(3), first = norm.over_all_heads ? 0 : head, end = norm.over_all_heads ? heads.size(1) : head + 1;
  double squares = 0;
  for (Index h = first; h < end; ++h) squares += squares_in(row_of(heads, batch, h, row));
  if (norm.kind == QkNorm::rms) return std::sqrt(squares / static_cast<double>(d * (end - first)) + norm.epsilon);
  return std::max(std::sqrt(squares), l2_epsilon);
}

Tensor normalise_heads(const Tensor& heads, const HeadNorm& norm, const Workers& workers) {
  assert(norm.kind != QkNorm::none);
  const Index count = heads.size(1), rows = heads.size(2), d = heads.size(3);
  assert(!norm.gain.defined() || norm.gain.count() == (norm.over_all_heads ? count * d : d));
  std::vector<double> shared;  // [B, n], where one divisor is for all heads
  if (norm.over_all_heads) {
    for (Index b = 0; b < heads.size(0); ++b) {
      for (Index row = 0; row < rows; ++row) shared.push_back(norm_divisor(heads, norm, b, 0, row));
    }
  }
  std::vector<double> gains;  // [H, d]
  for (Index h = 0; h < count; ++h) {
    for (Index i = 0; i < d; ++i) gains.push_back(norm.gain_of(h, i, d));
  }
  return by_rows(heads.shape(), 8, workers, [&](Index b, Index h, Index row, std::span<float> to) {
    const std::span<const float> from = row_of(heads, b, h, row);
    const double divisor = shared.empty() ? norm_divisor(heads, norm, b, h, row) : shared[static_cast<std::size_t>(b * rows + row)];
    const double* gain = gains.data() + h * d;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(static_cast<double>(from[i]) / divisor * gain[i]);
  });
}

}  // namespace headlight
