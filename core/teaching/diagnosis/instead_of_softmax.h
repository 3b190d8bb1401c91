// Weights that are made of the scores by another function. Private to the files that look for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>

#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {

using OfScores = std::function<Tensor(const Tensor& scores)>;

/// The weights made of the masked scores in this way.
inline Variant instead(const std::string& what, const OfScores& made) {
  const Rule rule = [made](const Trace& t, const Usual&) { return made(t[Stage::masked_scores]); };
  return {.explanation = what + " Write weights = scores.softmax(dim=-1).", .rules = {{Stage::weights, rule}}};
}

using OfRow = std::function<void(std::span<float>)>;

/// Each row of the scores, changed in place.
inline Tensor by_row(const Tensor& scores, const OfRow& change) {
  const Tensor packed = scores.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  const auto length = static_cast<std::size_t>(scores.size(-1));
  for (std::size_t first = 0; first < values.size(); first += length) change({values.data() + first, length});
  return Tensor(scores.shape(), std::move(values));
}

inline OfScores rows(const OfRow& change) {
  return [change](const Tensor& scores) { return by_row(scores, change); };
}

/// change(score) of each score that is not masked, divided by the row's sum of these.
inline OfScores divided_by_sum(float (*change)(float)) {
  return rows([change](std::span<float> row) {
    float sum = 0;
    for (float& v : row) v = std::isfinite(v) ? change(v) : 0, sum += v;
    for (float& v : row) v /= sum;
  });
}

inline float highest(std::span<const float> row) { return *std::ranges::max_element(row); }

}  // namespace headlight::mistakes
