#include "core/attention/position_bias.h"

#include "core/attention/sweep.h"

namespace headlight {

Tensor add_biases(const Tensor& scores, const std::vector<Tensor>& by_distance, const Tensor& bias,
                  const Workers& workers) {
  ScoreSteps steps;
  steps.by_distance = by_distance;
  steps.bias = bias;
  return steps.has(Stage::biased_scores)
             ? sweep(steps, Stage::biased_scores, Stage::biased_scores, scores, workers)[Stage::biased_scores]
             : scores;
}

}  // namespace headlight
