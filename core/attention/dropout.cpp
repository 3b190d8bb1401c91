#include "core/attention/dropout.h"

#include <algorithm>
#include <cassert>

#include "core/attention/sweep.h"
#include "core/tensor/philox.h"

namespace headlight {

Tensor dropout_keep(const Shape& shape, float p, std::uint64_t seed, const Workers& workers) {
  const Index count = element_count(shape);
  Buffer values(static_cast<std::size_t>(count));
  constexpr Index cells_a_block = 1 << 16;
  workers.run((count + cells_a_block - 1) / cells_a_block, 10 * static_cast<double>(count), [&](Index block) {
    const Index end = std::min(count, (block + 1) * cells_a_block);
    for (Index i = block * cells_a_block; i < end; i += 4) {
      const auto words = philox(static_cast<std::uint64_t>(i / 4), seed);
      for (Index j = 0; j < std::min<Index>(4, end - i); ++j) {
        values[static_cast<std::size_t>(i + j)] = philox_uniform(words[static_cast<std::size_t>(j)]) < p ? 0.0F : 1.0F;
      }
    }
  });
  return Tensor(shape, std::move(values));
}

Tensor drop(const Tensor& weights, const Tensor& keep, float p, const Workers& workers) {
  assert(p >= 0 && p <= 1 && weights.shape() == keep.shape());
  ScoreSteps steps;
  steps.dropout = DropoutParameters{keep, p};
  return sweep(steps, Stage::dropped_weights, Stage::dropped_weights, weights, workers)[Stage::dropped_weights];
}

}  // namespace headlight
