#include "core/attention/head_outputs.h"

#include "core/attention/sweep.h"

namespace headlight {

Tensor gather_values(const Tensor& weights, const Tensor& values, const Workers& workers) {
  ScoreSteps steps;
  steps.values = values;
  return sweep(steps, Stage::head_outputs, Stage::head_outputs, weights, workers)[Stage::head_outputs];
}

}  // namespace headlight
