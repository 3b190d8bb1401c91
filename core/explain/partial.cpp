#include "core/explain/partial.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/explain/steps.h"

namespace headlight {
namespace {

bool is_projection(Stage stage) {
  return stage == Stage::Q || stage == Stage::K || stage == Stage::V || stage == Stage::output;
}

Index right_head(const Trace& trace, Stage right, Index head) {
  return is_per_kv_head(right) ? head / trace.dims().groups() : has_head_axis(right) ? head : 0;
}

}  // namespace

Operands operands_of(const Trace& trace, Stage stage) {
  if (stage == Stage::scores) return {steps::queries_of_scores(trace), steps::keys_of_scores(trace), false};
  if (stage == Stage::head_outputs) return {steps::weights_in_use(trace), Stage::V_heads, true};
  assert(is_projection(stage));
  const steps::Projection projection = steps::projection_of(stage);
  return {projection.input, projection.weight, false};
}

Index product_terms(const Trace& trace, Stage stage) {
  if (!is_projection(stage) && stage != Stage::scores && stage != Stage::head_outputs) return 0;
  const Operands operands = operands_of(trace, stage);
  return trace.has(operands.right) ? trace[operands.left].size(-1) : 0;
}

Tensor partial_product(const Trace& trace, Stage stage, Index batch, Index head, Index terms) {
  const Operands operands = operands_of(trace, stage);
  const MatrixView left = trace[operands.left].matrix(batch, has_head_axis(operands.left) ? head : 0);
  const MatrixView right = trace[operands.right].matrix(batch, right_head(trace, operands.right, head));
  const MatrixView whole = trace[stage].matrix(batch, head);
  const bool with_bias = is_projection(stage) && terms == left.cols && trace.has(steps::projection_of(stage).bias);
  Buffer sums(static_cast<std::size_t>(whole.rows * whole.cols));
  std::size_t at = 0;
  for (Index row = 0; row < whole.rows; ++row) {
    for (Index col = 0; col < whole.cols; ++col) {
      float sum = with_bias ? trace[steps::projection_of(stage).bias].matrix()(0, col) : 0;
      for (Index i = 0; i < terms; ++i) sum += left(row, i) * (operands.terms_are_rows ? right(i, col) : right(col, i));
      sums[at++] = sum;
    }
  }
  return Tensor({whole.rows, whole.cols}, std::move(sums));
}

Tensor softmax_step(const Trace& trace, Index batch, Index head, SoftmaxStep step) {
  const Stage last = trace.has(Stage::masked_scores) ? Stage::masked_scores : steps::scores_before(trace, Stage::masked_scores);
  const MatrixView scores = trace[last].matrix(batch, head);
  Buffer values(static_cast<std::size_t>(scores.rows * scores.cols));
  std::size_t at = 0;
  for (Index row = 0; row < scores.rows; ++row) {
    float most = scores(row, 0);
    for (Index col = 1; col < scores.cols; ++col) most = std::max(most, scores(row, col));
    for (Index col = 0; col < scores.cols; ++col) {
      const float shifted = scores(row, col) - most;
      values[at++] = step == SoftmaxStep::shifted ? shifted : std::exp(shifted);
    }
  }
  return Tensor({scores.rows, scores.cols}, std::move(values));
}

}  // namespace headlight
