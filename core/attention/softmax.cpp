#include "core/attention/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/sweep.h"

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
  for (const float s : scores) highest = std::max(highest, s);  // a NaN compares false
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

}  // namespace headlight
