// Dropout left on: which weights were dropped, and with which probability, is read from the numbers.
#include <algorithm>
#include <cmath>

#include "core/attention/softmax.h"
#include "core/diagnosis/mistake_kinds.h"
#include "core/diagnosis/weight_recovery.h"
#include "core/scenario/scenario_rules.h"

namespace headlight::mistakes {
namespace {

constexpr float least_weight = 1e-3F;  // below, a ratio says little

struct Dropout {
  float p = 0;
  Tensor keep;
};

/// The middle one of the ratios own / right among the weights that were kept: 1/(1 − p). 0 where there is none.
float kept_ratio(std::span<const float> own, std::span<const float> right) {
  std::vector<float> ratios;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const float ratio = own[i] / right[i];
    if (right[i] > least_weight && ratio > 0.5F) ratios.push_back(ratio);
  }
  if (ratios.empty()) return 0;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  return *middle;
}

/// To the hundredth where it is one, as people type it.
float as_typed(float p) {
  const float rounded = std::round(p * 100) / 100;
  return std::abs(p - rounded) < 2e-3F ? rounded : p;
}

Dropout find_dropout(const Tensor& own, const Tensor& right) {
  const Tensor mine = own.contiguous(), usual = right.contiguous();
  const std::span<const float> a = mine.values(), b = usual.values();
  const float ratio = kept_ratio(a, b);
  if (ratio < 1.005F) return {};
  Buffer keep(a.size(), 1.0F);
  bool dropped = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] / b[i] < ratio / 2)) continue;  // a NaN is kept
    keep[i] = 0;
    dropped = dropped || b[i] > least_weight;
  }
  return dropped ? Dropout{as_typed(1 - 1 / ratio), Tensor(right.shape(), std::move(keep))} : Dropout{};
}

}  // namespace

Variants dropout_active(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (run.has(Stage::dropped_weights)) return {};
  const Tensor own = recover_weights(run, suspect.own);
  if (!own.defined()) return {};
  const Dropout found = find_dropout(own, run[Stage::weights]);
  if (found.p <= 0 || found.p >= 1) return {};
  Variant variant{"Dropout is on: some weights are 0 and the others are divided by 1 − p, p = " + shortest(found.p) +
                  ". Call model.eval() before you compare, or pass dropout_p=0.0."};
  variant.rules[Stage::weights] = [found](const Trace&, const std::function<Tensor()>& usual) {
    return drop(usual(), found.keep, found.p);
  };
  return {variant};
}

}  // namespace headlight::mistakes
