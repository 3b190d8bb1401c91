#include "core/compute/attention/softmax.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/tensor/sampler.h"
#include "core/compute/attention/sweep.h"

namespace headlight {

Tensor softmax(const Tensor& scores, const Tensor& sink_logits, const Tensor& mask, DeadRow dead_row,
               const Workers& workers) {
  ScoreSteps steps;
  steps.mask = mask;
  steps.softmax = {sink_logits, dead_row};
  return sweep(steps, Stage::weights, Stage::weights, scores, workers)[Stage::weights];
}

float row_maximum(std::span<const float> scores, float sink) {
  float highest = sink;
  for (const float s : scores) highest = std::max(highest, s);  // comparisons with NaN are false
  return highest;
}

double sink_part(float sink, float maximum) {
  return sink == -std::numeric_limits<float>::infinity() ? 0 : static_cast<double>(std::exp(sink - maximum));
}

bool is_dead_row(const MatrixView& mask, Index q) {
  for (Index k = 0; k < mask.cols; ++k) {
    if (mask(q, k) != 0) return false;
  }
  return true;
}

float dead_weight(DeadRow policy, Index keys) {
  if (policy == DeadRow::zero) return 0;
  if (policy == DeadRow::uniform) return 1 / static_cast<float>(keys);
  return std::numeric_limits<float>::quiet_NaN();
}

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
