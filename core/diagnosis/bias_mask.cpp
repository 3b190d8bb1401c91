#include "core/diagnosis/bias_mask.h"

#include <algorithm>

namespace headlight {

std::shared_ptr<const Trace> with_bias_as_mask(const std::shared_ptr<const Trace>& trace, const Run& run) {
  const Tensor& bias = trace->inputs.bias;
  if (trace->has(Stage::mask) || !bias.defined()) return trace;
  const Tensor packed = bias.contiguous();
  const auto hides = [](float v) { return v <= -1e4F; };
  if (std::ranges::none_of(packed.values(), hides)) return trace;
  Buffer mask, rest;
  for (const float v : packed.values()) {
    mask.push_back(hides(v) ? 0 : 1);
    rest.push_back(hides(v) ? 0 : v);
  }
  Inputs inputs = trace->inputs;
  inputs.file_mask = Tensor(bias.shape(), std::move(mask));
  inputs.bias = Tensor(bias.shape(), std::move(rest));
  inputs.fill = *std::ranges::min_element(packed.values());
  return compute(trace->scenario, std::move(inputs), trace.get(), run);
}

}  // namespace headlight
