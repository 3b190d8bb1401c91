#include "core/attention/head_outputs.h"

#include "core/attention/sweep.h"

namespace headlight {

Tensor gather_values(const Tensor& weights, const Tensor& values, const Workers& workers) {
  ScoreSteps steps;
  steps.values = values;
  return sweep(steps, Stage::head_outputs, Stage::head_outputs, weights, workers)[Stage::head_outputs];
}

Tensor silenced(const Tensor& head_outputs, std::span<const Index> heads) {
  if (heads.empty()) return head_outputs;
  const Tensor rows = head_outputs.transpose(1, 2).contiguous();  // [B, n_q, H, d]
  Buffer values(rows.values().begin(), rows.values().end());
  const Index count = rows.size(2), d = rows.size(3), places = rows.size(0) * rows.size(1);
  for (Index place = 0; place < places; ++place) {
    for (const Index head : heads) std::fill_n(values.begin() + (place * count + head) * d, d, 0.0F);
  }
  return Tensor(rows.shape(), std::move(values)).transpose(1, 2);
}

}  // namespace headlight
