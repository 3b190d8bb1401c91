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

}  // namespace headlight
