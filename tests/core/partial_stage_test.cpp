#include <cmath>

#include "core/compute/run/pipeline.h"
#include "core/teaching/explain/explain.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

Scenario grouped() {
  Scenario scenario;
  scenario.mask = "causal()";
  scenario.heads = 4;
  scenario.kv_heads = 2;
  scenario.d_model = 16;
  return scenario;
}

}  // namespace

TEST_CASE("the sum of all terms of a product is the stage, the sum of none is zero, and each term adds its product") {
  const auto trace = compute(grouped());
  for (const Stage stage : {Stage::Q, Stage::K, Stage::V, Stage::scores, Stage::head_outputs, Stage::output}) {
    const Index head = has_head_axis(stage) ? 3 : 0;
    const Index terms = product_terms(*trace, stage);
    INFO(name(stage));
    REQUIRE(terms > 1);
    const MatrixView whole = (*trace)[stage].matrix(0, head);
    const Tensor all = partial_product(*trace, stage, 0, head, terms),
                 none = partial_product(*trace, stage, 0, head, 0);
    for (Index r = 0; r < whole.rows; ++r) {
      for (Index c = 0; c < whole.cols; ++c) {
        CHECK(all.matrix()(r, c) == Approx(whole(r, c)).margin(1e-5));
        CHECK(none.matrix()(r, c) == 0);
      }
    }
  }
  const float first = partial_product(*trace, Stage::scores, 0, 3, 1).matrix()(5, 2);
  CHECK(first == (*trace)[Stage::Q_heads].matrix(0, 3)(5, 0) * (*trace)[Stage::K_heads].matrix(0, 1)(2, 0));
  CHECK(product_terms(*trace, Stage::weights) == 0);
  CHECK(product_terms(*trace, Stage::concat) == 0);
}

TEST_CASE("the steps of a softmax are scores minus the row's maximum, their exponentials, and the weights") {
  const auto trace = compute(grouped());
  const Tensor shifted = softmax_step(*trace, 0, 1, SoftmaxStep::shifted);
  const Tensor exponentials = softmax_step(*trace, 0, 1, SoftmaxStep::exponentials);
  const MatrixView weights = (*trace)[Stage::weights].matrix(0, 1);
  for (Index r = 0; r < weights.rows; ++r) {
    float most = -INFINITY, sum = 0;
    for (Index c = 0; c < weights.cols; ++c) {
      most = std::max(most, shifted.matrix()(r, c));
      sum += exponentials.matrix()(r, c);
    }
    CHECK(most == 0);
    for (Index c = 0; c < weights.cols; ++c) {
      CHECK(exponentials.matrix()(r, c) / sum == Approx(weights(r, c)).margin(1e-6));
      CHECK((shifted.matrix()(r, c) == -INFINITY) == (c > r));
    }
  }
}
