#include "core/attention/scores.h"

#include <cassert>

#include "core/attention/sweep.h"

namespace headlight {
namespace {

Tensor one(const ScoreSteps& steps, Stage stage, const Tensor& before, const Workers& workers) {
  return sweep(steps, stage, stage, before, workers)[stage];
}

}  // namespace

Tensor raw_scores(const Tensor& queries, const Tensor& keys, const Workers& workers) {
  ScoreSteps steps;
  steps.queries = queries;
  steps.keys = keys;
  return one(steps, Stage::scores, {}, workers);
}

Tensor scale_scores(const Tensor& scores, float scale, const Workers& workers) {
  ScoreSteps steps;
  steps.scale = scale;
  return one(steps, Stage::scaled_scores, scores, workers);
}

Tensor cap_scores(const Tensor& scores, float cap, const Workers& workers) {
  assert(cap > 0);
  ScoreSteps steps;
  steps.cap = cap;
  return one(steps, Stage::capped_scores, scores, workers);
}

}  // namespace headlight
