#include "core/attention/scores.h"

#include <cassert>

#include "core/position/relative_bias.h"

namespace headlight {
namespace {

Tensor one_step(const ScoreSteps& steps, Stage stage, const Tensor& before, const Workers& workers) {
  return sweep(steps, stage, stage, before, workers)[stage];
}

}  // namespace

std::vector<Tensor> BiasParameters::by_distance(const Shape& scores) const {
  std::vector<Tensor> made;
  if (alibi) made.push_back(alibi_by_distance(scores[1], scores[2], scores[3], query_offset));
  if (t5_table.defined())
    made.push_back(t5_by_distance(t5_table, t5_bidirectional, scores[2], scores[3], query_offset));
  return made;
}

Tensor raw_scores(const Tensor& queries, const Tensor& keys, const Workers& workers) {
  ScoreSteps steps;
  steps.queries = queries;
  steps.keys = keys;
  return one_step(steps, Stage::scores, {}, workers);
}

Tensor scale_scores(const Tensor& scores, const ScaleParameters& parameters, const Workers& workers) {
  ScoreSteps steps;
  steps.take(parameters);
  return one_step(steps, Stage::scaled_scores, scores, workers);
}

Tensor cap_scores(const Tensor& scores, const CapParameters& parameters, const Workers& workers) {
  assert(parameters.cap > 0);
  ScoreSteps steps;
  steps.take(parameters);
  return one_step(steps, Stage::capped_scores, scores, workers);
}

Tensor add_biases(const Tensor& scores, const BiasParameters& parameters, const Workers& workers) {
  if (!parameters.any()) return scores;
  ScoreSteps steps;
  steps.take(parameters);
  return one_step(steps, Stage::biased_scores, scores, workers);
}

Tensor apply_mask(const Tensor& scores, const Tensor& mask, const FillParameters& parameters, const Workers& workers) {
  assert(scores.shape() == mask.shape());
  ScoreSteps steps;
  steps.mask = mask;
  steps.take(parameters);
  return one_step(steps, Stage::masked_scores, scores, workers);
}

}  // namespace headlight
