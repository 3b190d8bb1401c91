#include "core/attention/dropout.h"

#include <cassert>

#include "core/attention/sweep.h"
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
  ScoreSteps steps;
  steps.keep = keep;
  steps.dropout = p;
  return sweep(steps, Stage::dropped_weights, Stage::dropped_weights, weights, workers)[Stage::dropped_weights];
}

}  // namespace headlight
