#include "core/attention/heads.h"

#include <cassert>

#include "core/attention/sweep.h"

namespace headlight {

Tensor split_heads(const Tensor& channels, Index heads) {
  assert(channels.rank() == 3 && channels.size(2) % heads == 0);
  return channels.view({channels.size(0), channels.size(1), heads, channels.size(2) / heads}).transpose(1, 2);
}

Tensor merge_heads(const Tensor& heads) {
  assert(heads.rank() == 4);
  return heads.transpose(1, 2).view({heads.size(0), heads.size(2), heads.size(1) * heads.size(3)});
}

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
