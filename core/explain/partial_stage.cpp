#include "core/explain/partial_stage.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "core/attention/softmax.h"
#include "core/explain/steps.h"

namespace headlight {
namespace {

Index right_head(const Trace& trace, Stage right, Index head) {
  return is_per_kv_head(right) ? head / trace.dims().groups() : has_head_axis(right) ? head : 0;
}

}  // namespace

Operands operands_of(const Trace& trace, Stage stage) {
  assert(is_product(stage));
  const StageSources& sources = info(stage).sources;
  const Stage right = sources[1].stage;
  return {steps::source_of(trace, stage), is_parameter(right) ? right : steps::source_of(trace, stage, 1),
          sources[1].reads == Reads::column};
}

Index product_terms(const Trace& trace, Stage stage) {
  if (!is_product(stage)) return 0;
  const Operands operands = operands_of(trace, stage);
  return trace.has(operands.right) ? trace[operands.left].size(-1) : 0;
}

Tensor partial_product(const Trace& trace, Stage stage, Index batch, Index head, Index terms) {
  const Operands operands = operands_of(trace, stage);
  const MatrixView left = trace[operands.left].matrix(batch, has_head_axis(operands.left) ? head : 0);
  const MatrixView right = trace[operands.right].matrix(batch, right_head(trace, operands.right, head));
  const MatrixView whole = trace[stage].matrix(batch, head);
  const StageSources& sources = info(stage).sources;
  const bool with_bias = sources.size() > 2 && terms == left.cols && trace.has(sources[2].stage);
  Buffer sums(static_cast<std::size_t>(whole.rows * whole.cols));
  std::size_t at = 0;
  for (Index row = 0; row < whole.rows; ++row) {
    for (Index col = 0; col < whole.cols; ++col) {
      float sum = with_bias ? trace[sources[2].stage].matrix()(0, col) : 0;
      for (Index i = 0; i < terms; ++i) sum += left(row, i) * (operands.terms_are_rows ? right(i, col) : right(col, i));
      sums[at++] = sum;
    }
  }
  return Tensor({whole.rows, whole.cols}, std::move(sums));
}

Tensor softmax_step(const Trace& trace, Index batch, Index head, SoftmaxStep step) {
  const Tensor& before = trace[steps::source_of(trace, Stage::weights)];
  const MatrixView scores = before.matrix(batch, head);
  const float sink =
      trace.sink_logits.defined() ? trace.sink_logits.at({head}) : -std::numeric_limits<float>::infinity();
  Buffer values(static_cast<std::size_t>(scores.rows * scores.cols));
  std::size_t at = 0;
  Buffer scratch;
  for (Index row = 0; row < scores.rows; ++row) {
    const float most = row_maximum({scores.whole_row(row, scratch), static_cast<std::size_t>(scores.cols)}, sink);
    for (Index col = 0; col < scores.cols; ++col) {
      const float shifted = scores(row, col) - most;
      values[at++] = step == SoftmaxStep::shifted ? shifted : std::exp(shifted);
    }
  }
  return Tensor({scores.rows, scores.cols}, std::move(values));
}

}  // namespace headlight
