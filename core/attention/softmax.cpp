#include "core/attention/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

bool is_dead(const MatrixView& mask, Index q) {
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

// `sink` is −inf where there is none: e^−inf adds nothing.
void softmax_row(std::span<const float> scores, float sink, std::span<float> to) {
  float highest = sink;
  for (const float s : scores) highest = std::max(highest, s);  // a NaN compares false and shows up in the sum
  double sum = sink == -infinity ? 0 : static_cast<double>(std::exp(sink - highest));
  for (std::size_t k = 0; k < to.size(); ++k) {
    to[k] = std::exp(scores[k] - highest);
    sum += static_cast<double>(to[k]);
  }
  const double share = 1 / sum;
  for (float& weight : to) weight = static_cast<float>(static_cast<double>(weight) * share);
}

}  // namespace

Tensor softmax(const Tensor& scores, const Tensor& sink_logits, const Tensor& mask, DeadRow dead_row,
               const Workers& workers) {
  const bool policy = mask.defined() && dead_row != DeadRow::from_fill;
  return by_rows(scores.shape(), 40, workers, [&](Index b, Index h, Index q, std::span<float> to) {
    if (policy && is_dead(mask.matrix(b, h), q)) {
      std::ranges::fill(to, dead_weight(dead_row, scores.size(3)));
    } else {
      softmax_row(row_of(scores, b, h, q), sink_logits.defined() ? sink_logits.at({h}) : -infinity, to);
    }
  });
}

}  // namespace headlight
