#include "core/attention/dropout.h"

#include <cassert>

#include "core/tensor/sampler.h"

namespace headlight {

Tensor dropout_keep(const Shape& shape, float p, std::uint64_t seed) {
  Sampler sampler(seed, "dropout");
  Buffer values(static_cast<std::size_t>(element_count(shape)));
  for (float& value : values) value = sampler.uniform() < p ? 0.0F : 1.0F;
  return Tensor(shape, std::move(values));
}

Tensor drop(const Tensor& weights, const Tensor& keep, float p, const Workers& workers) {
  assert(p >= 0 && p <= 1 && weights.shape() == keep.shape());
  const float kept = p < 1 ? 1 / (1 - p) : 0;
  return by_rows(weights.shape(), 4, workers, [&](Index b, Index h, Index q, std::span<float> to) {
    const std::span<const float> from = row_of(weights, b, h, q), keeps = row_of(keep, b, h, q);
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[k] * (keeps[k] * kept);
  });
}

}  // namespace headlight
