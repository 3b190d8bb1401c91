#include "core/attention/masking.h"

#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

TEST_CASE("valid lengths count keys, for a batch entry or for each query", "[attention]") {
  CHECK_THAT(padding_mask(Tensor::of({2}, {1, 3}), 3), agrees_with(Tensor::of({2, 1, 1, 3}, {1, 0, 0, 1, 1, 1})));
  CHECK_THAT(padding_mask(Tensor::of({1, 2}, {0, 2}), 2), agrees_with(Tensor::of({1, 1, 2, 2}, {0, 0, 1, 1})));
}

TEST_CASE("the file's mask and the valid lengths hold together", "[attention]") {
  Inputs inputs = small_inputs({.batch = 2, .heads = 2, .kv_heads = 2, .n_q = 2, .n_k = 2, .d_model = 4});
  inputs.file_mask = Tensor::of({2, 2}, {0, 1, 1, 1});
  inputs.valid_lens = Tensor::of({2}, {1, 2});
  const Tensor mask = build_mask({}, inputs);
  CHECK(mask.shape() == Shape{2, 2, 2, 2});
  CHECK_THAT(mask.slice(1, 1, 1), agrees_with(Tensor::of({2, 1, 2, 2}, {0, 0, 1, 0, 0, 1, 1, 1})));
}

TEST_CASE("a mask that does not depend on batch and head is held once", "[attention]") {
  Inputs inputs = small_inputs();
  inputs.file_mask = Tensor::full({5, 5}, 1);
  const Tensor mask = build_mask({}, inputs);
  CHECK(mask.strides()[0] == 0);
  CHECK(mask.strides()[1] == 0);
}

TEST_CASE("painted cells stand over the mask, -1 meaning all", "[attention]") {
  Inputs inputs = small_inputs({.batch = 2, .heads = 2, .kv_heads = 2, .n_q = 2, .n_k = 2, .d_model = 4});
  inputs.file_mask = Tensor::of({2, 2}, {1, 0, 1, 1});
  Scenario scenario;
  scenario.painted = {{.query = 0, .key = 1, .attend = true}, {.batch = 1, .head = 0, .query = 1, .key = 0}};
  const Tensor mask = build_mask(scenario, inputs);
  CHECK_THAT(mask, agrees_with(Tensor::of({2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1})));
}

TEST_CASE("painted cells outside the sizes are passed over, and alone they forbid on a full mask", "[attention]") {
  const Inputs inputs = small_inputs({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 2, .n_k = 2, .d_model = 4});
  Scenario scenario;
  scenario.painted = {{.query = 7, .key = 0}, {.batch = 3, .query = 0, .key = 0}, {.query = 1, .key = 1}};
  CHECK_THAT(build_mask(scenario, inputs), agrees_with(Tensor::of({1, 1, 2, 2}, {1, 1, 1, 0})));
}

TEST_CASE("an expression replaces the file's masks unless it names them", "[attention]") {
  Inputs inputs = small_inputs({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 2, .n_k = 2, .d_model = 4});
  inputs.file_mask = Tensor::of({2, 2}, {0, 1, 1, 1});
  inputs.valid_lens = Tensor::of({1}, {1});
  Scenario scenario;
  scenario.mask = "causal()";
  CHECK_THAT(build_mask(scenario, inputs), agrees_with(Tensor::of({1, 1, 2, 2}, {1, 0, 1, 1})));
  scenario.mask = "causal() && file()";
  CHECK_THAT(build_mask(scenario, inputs), agrees_with(Tensor::of({1, 1, 2, 2}, {0, 0, 1, 1})));
  scenario.mask = "causal() && padding()";
  CHECK_THAT(build_mask(scenario, inputs), agrees_with(Tensor::of({1, 1, 2, 2}, {1, 0, 1, 0})));
}

TEST_CASE("painted cells stand over an expression, unless it names them itself", "[attention]") {
  const Inputs inputs = small_inputs({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 2, .n_k = 2, .d_model = 4});
  Scenario scenario;
  scenario.mask = "causal()";
  scenario.painted = {{.query = 0, .key = 1, .attend = true}, {.query = 0, .key = 0}};
  CHECK_THAT(build_mask(scenario, inputs), agrees_with(Tensor::of({1, 1, 2, 2}, {0, 1, 1, 1})));
  scenario.mask = "causal() || painted()";
  CHECK_THAT(build_mask(scenario, inputs), agrees_with(Tensor::of({1, 1, 2, 2}, {1, 1, 1, 1})));
  scenario.painted.clear();
  CHECK_THAT(build_mask(scenario, inputs), agrees_with(Tensor::of({1, 1, 2, 2}, {1, 0, 1, 1})));
}

TEST_CASE("a mask of one head leaves the others alone", "[attention]") {
  const Inputs inputs = small_inputs({.batch = 1, .heads = 2, .kv_heads = 2, .n_q = 2, .n_k = 2, .d_model = 4});
  Scenario scenario;
  scenario.mask = "h < 1 ? causal() : full()";
  CHECK_THAT(build_mask(scenario, inputs), agrees_with(Tensor::of({1, 2, 2, 2}, {1, 0, 1, 1, 1, 1, 1, 1})));
}
