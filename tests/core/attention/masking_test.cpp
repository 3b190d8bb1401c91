#include "core/scenario/inputs/inputs.h"
#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

TEST_CASE("valid lengths count keys, for a batch entry or for each query", "[attention]") {
  Inputs inputs = small_inputs({.batch = 2, .heads = 1, .kv_heads = 1, .n_q = 2, .n_k = 2, .d_model = 4});
  inputs.valid_lens = Tensor::of({2}, {0, 1});
  const Tensor by_entry = build_mask(mask_rule({}, inputs));
  CHECK_THAT(by_entry, agrees_with(Tensor::of({2, 1, 2, 2}, {0, 0, 0, 0, 1, 0, 1, 0})));
  CHECK(by_entry.strides()[2] == 0);  // one row for all queries
  inputs.valid_lens = Tensor::of({2, 2}, {0, 2, 1, 1});
  CHECK_THAT(build_mask(mask_rule({}, inputs)), agrees_with(Tensor::of({2, 1, 2, 2}, {0, 0, 1, 1, 1, 0, 1, 0})));
}

TEST_CASE("a rule in a file, such as is_causal, is combined with its mask and lengths, and file() calls it",
          "[attention]") {
  Inputs inputs = small_inputs({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 3, .n_k = 3, .d_model = 4});
  inputs.file_rule = parse_mask("causal() && doc(q) == doc(k)");
  inputs.doc_ids = Tensor::of({1, 3}, {0, 1, 1});
  const auto mask_of = [&](const std::string& expression) {
    Scenario scenario;
    scenario.mask = expression;
    return build_mask(mask_rule(scenario, inputs));
  };
  const Tensor alone = Tensor::of({1, 1, 3, 3}, {1, 0, 0, 0, 1, 0, 0, 1, 1});
  CHECK(has_mask({}, inputs));
  CHECK_THAT(mask_of(""), agrees_with(alone));
  CHECK_THAT(mask_of("file()"), agrees_with(alone));
  CHECK_THAT(mask_of("file() || k == 0"), agrees_with(Tensor::of({1, 1, 3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1})));
  inputs.file_mask = Tensor::of({1, 3}, {1, 0, 1});
  CHECK_THAT(mask_of(""), agrees_with(Tensor::of({1, 1, 3, 3}, {1, 0, 0, 0, 0, 0, 0, 0, 1})));
  CHECK(mask_rule({}, inputs) == mask_rule({}, inputs));
  const MaskRule before = mask_rule({}, inputs);
  inputs.file_rule = parse_mask("causal()");
  CHECK_FALSE(mask_rule({}, inputs) == before);
}

TEST_CASE("the mask of a file is the tensor that was read, not a copy", "[attention]") {
  Inputs inputs = small_inputs({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 2, .n_k = 3, .d_model = 4});
  inputs.file_mask = Tensor::of({2, 3}, {1, 0, 1, 0, 0, 1});
  const auto mask_of = [&](const std::string& expression) {
    Scenario scenario;
    scenario.mask = expression;
    return build_mask(mask_rule(scenario, inputs));
  };
  for (const char* expression : {"", "file()"}) {
    const Tensor mask = mask_of(expression);
    CHECK_THAT(mask, agrees_with(Tensor::of({1, 1, 2, 3}, {1, 0, 1, 0, 0, 1})));
    CHECK(mask.matrix().data == inputs.file_mask.matrix().data);
  }
  CHECK_THAT(mask_of("!file()"), agrees_with(Tensor::of({1, 1, 2, 3}, {0, 1, 0, 1, 1, 0})));
  inputs.file_mask = Tensor::of({2, 1}, {1, 0});  // one number for all keys of a query
  CHECK_THAT(mask_of(""), agrees_with(Tensor::of({1, 1, 2, 3}, {1, 1, 1, 0, 0, 0})));
}

TEST_CASE("a mask that is a rule gives the same output where stages are computed only when they are read",
          "[attention]") {
  Inputs inputs = small_inputs({.batch = 1, .heads = 2, .kv_heads = 2, .n_q = 300, .n_k = 300, .d_model = 8});
  inputs.file_rule = parse_mask("causal()");
  Run whole, parts;
  whole.most_kept = 1e12;
  parts.most_kept = 1;
  const auto held = compute({}, inputs, nullptr, whole), later = compute({}, inputs, nullptr, parts);
  CHECK_THAT((*later)[Stage::output], agrees_with((*held)[Stage::output]));
  CHECK((*held)[Stage::weights].at({0, 1, 7, 8}) == 0);
}

TEST_CASE("a key must be allowed by the file's mask and by the valid lengths", "[attention]") {
  Inputs inputs = small_inputs({.batch = 2, .heads = 2, .kv_heads = 2, .n_q = 2, .n_k = 2, .d_model = 4});
  inputs.file_mask = Tensor::of({2, 2}, {0, 1, 1, 1});
  inputs.valid_lens = Tensor::of({2}, {1, 2});
  const Tensor mask = build_mask(mask_rule({}, inputs));
  CHECK(mask.shape() == Shape{2, 2, 2, 2});
  CHECK_THAT(mask.slice(1, 1, 1), agrees_with(Tensor::of({2, 1, 2, 2}, {0, 0, 1, 0, 0, 1, 1, 1})));
}

TEST_CASE("a mask that does not depend on batch and head is stored once", "[attention]") {
  Inputs inputs = small_inputs();
  inputs.file_mask = Tensor::full({5, 5}, 1);
  const Tensor mask = build_mask(mask_rule({}, inputs));
  CHECK(mask.strides()[0] == 0);
  CHECK(mask.strides()[1] == 0);
}

TEST_CASE("painted cells override the mask, and -1 means all", "[attention]") {
  Inputs inputs = small_inputs({.batch = 2, .heads = 2, .kv_heads = 2, .n_q = 2, .n_k = 2, .d_model = 4});
  inputs.file_mask = Tensor::of({2, 2}, {1, 0, 1, 1});
  Scenario scenario;
  scenario.painted = {{.query = 0, .key = 1, .attend = true}, {.batch = 1, .head = 0, .query = 1, .key = 0}};
  const Tensor mask = build_mask(mask_rule(scenario, inputs));
  CHECK_THAT(mask, agrees_with(Tensor::of({2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1})));
}

TEST_CASE("painted cells outside the sizes are ignored; without a mask, painted cells forbid in a full one",
          "[attention]") {
  const Inputs inputs = small_inputs({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 2, .n_k = 2, .d_model = 4});
  Scenario scenario;
  scenario.painted = {{.query = 7, .key = 0}, {.batch = 3, .query = 0, .key = 0}, {.query = 1, .key = 1}};
  CHECK_THAT(build_mask(mask_rule(scenario, inputs)), agrees_with(Tensor::of({1, 1, 2, 2}, {1, 1, 1, 0})));
}

TEST_CASE("an expression replaces the file's masks unless it names them", "[attention]") {
  Inputs inputs = small_inputs({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 2, .n_k = 2, .d_model = 4});
  inputs.file_mask = Tensor::of({2, 2}, {0, 1, 1, 1});
  inputs.valid_lens = Tensor::of({1}, {1});
  Scenario scenario;
  scenario.mask = "causal()";
  CHECK_THAT(build_mask(mask_rule(scenario, inputs)), agrees_with(Tensor::of({1, 1, 2, 2}, {1, 0, 1, 1})));
  scenario.mask = "causal() && file()";
  CHECK_THAT(build_mask(mask_rule(scenario, inputs)), agrees_with(Tensor::of({1, 1, 2, 2}, {0, 0, 1, 1})));
  scenario.mask = "causal() && padding()";
  CHECK_THAT(build_mask(mask_rule(scenario, inputs)), agrees_with(Tensor::of({1, 1, 2, 2}, {1, 0, 1, 0})));
}

TEST_CASE("painted cells override an expression, unless it calls painted() itself", "[attention]") {
  const Inputs inputs = small_inputs({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 2, .n_k = 2, .d_model = 4});
  Scenario scenario;
  scenario.mask = "causal()";
  scenario.painted = {{.query = 0, .key = 1, .attend = true}, {.query = 0, .key = 0}};
  CHECK_THAT(build_mask(mask_rule(scenario, inputs)), agrees_with(Tensor::of({1, 1, 2, 2}, {0, 1, 1, 1})));
  scenario.mask = "causal() || painted()";
  CHECK_THAT(build_mask(mask_rule(scenario, inputs)), agrees_with(Tensor::of({1, 1, 2, 2}, {1, 1, 1, 1})));
  scenario.painted.clear();
  CHECK_THAT(build_mask(mask_rule(scenario, inputs)), agrees_with(Tensor::of({1, 1, 2, 2}, {1, 0, 1, 1})));
}

TEST_CASE("a mask for one head does not change the others", "[attention]") {
  const Inputs inputs = small_inputs({.batch = 1, .heads = 2, .kv_heads = 2, .n_q = 2, .n_k = 2, .d_model = 4});
  Scenario scenario;
  scenario.mask = "h < 1 ? causal() : full()";
  CHECK_THAT(build_mask(mask_rule(scenario, inputs)), agrees_with(Tensor::of({1, 2, 2, 2}, {1, 0, 1, 1, 1, 1, 1, 1})));
}
