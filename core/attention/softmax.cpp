#include "core/attention/softmax.h"

#include "core/attention/sweep.h"

namespace headlight {

Tensor softmax(const Tensor& scores, const Tensor& sink_logits, const Tensor& mask, DeadRow dead_row,
               const Workers& workers) {
  ScoreSteps steps;
  steps.sink_logits = sink_logits;
  steps.mask = mask;
  steps.dead_row = dead_row;
  return sweep(steps, Stage::weights, Stage::weights, scores, workers)[Stage::weights];
}

}  // namespace headlight
