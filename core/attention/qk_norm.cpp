#include "core/attention/qk_norm.h"

#include <cassert>
#include <cmath>

namespace headlight {
namespace {

double divisor(std::span<const float> x, QkNorm kind) {
  double squares = 0;
  for (const float value : x) squares += static_cast<double>(value) * static_cast<double>(value);
  if (kind == QkNorm::rms) return std::sqrt(squares / static_cast<double>(x.size()) + rms_epsilon);
  const double length = std::sqrt(squares);
  return length < l2_epsilon ? l2_epsilon : length;
}

}  // namespace

Tensor normalise_heads(const Tensor& heads, QkNorm kind, const Workers& workers) {
  assert(kind != QkNorm::none);
  return by_rows(heads.shape(), 8, workers, [&](Index b, Index h, Index row, std::span<float> to) {
    const std::span<const float> from = row_of(heads, b, h, row);
    const double d = divisor(from, kind);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(static_cast<double>(from[i]) / d);
  });
}

Tensor normalise_heads(const Tensor& heads, const Tensor& weight, double epsilon, bool over_heads, const Workers& workers) {
  const Index count = heads.size(1), d = heads.size(3);
  assert(!weight.defined() || weight.count() == (over_heads ? count * d : d));
  return by_rows(heads.shape(), 8, workers, [&](Index b, Index h, Index row, std::span<float> to) {
    double squares = 0;
    for (Index other = over_heads ? 0 : h; other < (over_heads ? count : h + 1); ++other) {
      for (const float v : row_of(heads, b, other, row)) squares += static_cast<double>(v) * static_cast<double>(v);
    }
    const double scale = 1 / std::sqrt(squares / static_cast<double>(over_heads ? count * d : d) + epsilon);
    const std::span<const float> from = row_of(heads, b, h, row);
    const float* gain = weight.defined() ? weight.values().data() + (over_heads ? h * d : 0) : nullptr;
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = static_cast<float>(static_cast<double>(from[i]) * scale * (gain ? static_cast<double>(gain[i]) : 1));
    }
  });
}

}  // namespace headlight
