#include "core/base/tensor/error.h"
#include "core/compute/run/pipeline.h"
#include "core/teaching/explain/explain.h"
#include "tests/attention_inputs.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

std::string complaint(const Inputs& inputs, const Scenario& scenario = {}) {
  try {
    compute(scenario, inputs);
  } catch (const InputError& error) { return error.what(); }
  return "";
}

}  // namespace

TEST_CASE("tensors that do not fit each other are refused by name, with the shape that was expected", "[attention]") {
  const Inputs fine = small_inputs({.kv_heads = 2, .n_q = 3, .n_k = 6, .self = false});  // 2 entries, 4 heads of 4
  CHECK(complaint(fine) == "");
  const auto with = [&](auto change) {
    Inputs inputs = fine;
    change(inputs);
    return complaint(inputs);
  };
  CHECK(with([](Inputs& in) {
          in.query = Tensor::full({2, 4, 16}, 1);
        }) == "query: is [2, 4, 16]; expected [2, 3, 16]");
  CHECK(with([](Inputs& in) { in.value = Tensor(); }) == "value: is missing; expected [2, 6, 16]");
  CHECK(with([](Inputs& in) { in.W_k = Tensor::full({16, 16}, 1); }) == "W_k: is [16, 16]; expected [8, 16]");
  CHECK(with([](Inputs& in) { in.W_k = Tensor(); }) == "W_k: is missing; expected [8, 16], since the sizes differ");
  CHECK(with([](Inputs& in) { in.W_o = Tensor::full({16, 8}, 1); }) == "W_o: is [16, 8]; expected [16, 16]");
  CHECK(with([](Inputs& in) { in.b_v = Tensor::full({16}, 1); }) == "b_v: is [16]; expected [8]");
  CHECK(with([](Inputs& in) { in.dims.d_head = 3; }) == "W_q: is [16, 16]; expected [12, 16]");
  CHECK(with([](Inputs& in) { in.dims.kv_heads = 3; }) == "kv_heads: 3 does not divide heads 4; expected a divisor");
  CHECK(with([](Inputs& in) { in.dims.batch = 0; }) == "batch: is 0; expected at least 1");
  CHECK(with([](Inputs& in) {
          in.file_mask = Tensor::full({5, 6}, 1);
        }) == "file_mask: is [5, 6]; expected what broadcasts to [2, 4, 3, 6]");
  CHECK(with([](Inputs& in) {
          in.attn_bias = Tensor::full({2, 3, 3, 6}, 1);
        }) == "bias: is [2, 3, 3, 6]; expected what broadcasts to [2, 4, 3, 6]");
  CHECK(with([](Inputs& in) { in.valid_lens = Tensor::full({3}, 1); }) == "valid_lens: is [3]; expected [2] or [2, 3]");
  CHECK(with([](Inputs& in) {
          in.key_tokens = {{"a", "b"}};
        }) == "key_tokens: do not name every row; expected 6 for each of 2 batch entries");
}

TEST_CASE("RoPE over more channels than a head has, and a cell that is not there, are refused", "[attention]") {
  Scenario scenario;
  scenario.rope = Rope::half;
  scenario.rotary_dim = 6;
  CHECK(complaint(small_inputs(), scenario) ==
        "--rotary-dim: 6 is no even part of d_head 4; expected an even number up to 4");
  const auto trace = compute(Scenario(), small_inputs());
  CHECK_THROWS_AS(explain(*trace, {Stage::weights, 0, 4, 0, 0}), InputError);
  CHECK_THROWS_AS(explain(*trace, {Stage::Q_normed, 0, 0, 0, 0}), InputError);
}
