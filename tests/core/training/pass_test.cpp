// The forward and backward passes against PyTorch's autograd (tests/fixtures/make_training.py).
#include "core/compute/training/pass.h"

#include <algorithm>
#include <cmath>

#include "core/base/arrays/array_file.h"
#include "core/compute/attention/kernels/kernels.h"
#include "tests/catch.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

/// A fixture: parameters, a batch, and what PyTorch makes of them.
struct Expected {
  std::shared_ptr<const ArrayFile> file;
  std::vector<std::int32_t> tokens, targets;

  explicit Expected(const std::string& name) : file(open_arrays(places::fixtures() + "/training/" + name + ".npz")) {
    const Tensor ids = file->load("tokens"), answers = file->load("targets");
    for (const float id : ids.values()) tokens.push_back(static_cast<std::int32_t>(id));
    for (const float id : answers.values()) targets.push_back(static_cast<std::int32_t>(id));
  }
  Buffer weights(const ParameterLayout& layout, const std::string& prefix) const {
    Buffer all(static_cast<std::size_t>(layout.count));
    for (const ParameterRow& row : layout.rows)
      std::ranges::copy(file->load(prefix + row.name).values(), all.begin() + row.first);
    return all;
  }
  float by() const {
    return 1 / static_cast<float>(std::ranges::count_if(targets, [](std::int32_t target) { return target >= 0; }));
  }
};

NetworkShape shape_with(Index layers, const std::string& mask) {
  NetworkShape shape;
  shape.vocabulary = shape.length = 5;
  shape.d_model = 8;
  shape.heads = shape.kv_heads = 2;
  shape.d_head = 4;
  shape.layers = layers;
  shape.hidden = 32;
  shape.norms = true;
  shape.scale = 0.5F;
  shape.mask = mask;
  return shape;
}

/// |a − b| ≤ 1e-6 + 1e-3·|b| for all numbers.
void check_close(const Tensor& got, const Tensor& expected) {
  REQUIRE(got.shape() == expected.shape());
  const Tensor packed = got.contiguous();
  for (std::size_t i = 0; i < expected.values().size(); ++i) {
    const float a = packed.values()[i], b = expected.values()[i];
    if (!(std::abs(a - b) <= 1e-6F + 1e-3F * std::abs(b))) {
      CAPTURE(i, a, b);
      FAIL("differs");
    }
  }
}

void check_gradients(const NetworkShape& shape, const std::string& name) {
  const Expected expected(name);
  const ParameterLayout layout(shape);
  const Buffer weights = expected.weights(layout, "param.");
  Buffer gradients(weights.size(), 0.0F);
  Pass pass(shape, layout, 2, 5);
  StageBook book(shape.layers, 2, 5);
  pass.forward(weights.data(), expected.tokens, {}, &book);
  const double loss = pass.loss(expected.targets, expected.by()).sum * static_cast<double>(expected.by());
  CHECK(std::abs(loss - static_cast<double>(expected.file->load("loss").values()[0])) < 1e-5);
  pass.backward(weights.data(), gradients.data(), &book);
  for (const ParameterRow& row : layout.rows) {
    INFO(row.name);
    const auto first = gradients.begin() + row.first;
    check_close(Tensor(row.shape(), Buffer(first, first + row.count())), expected.file->load("grad." + row.name));
  }
  int stages = 0;
  for (Index layer = 0; layer < shape.layers; ++layer) {
    const LayerStages slopes = book.take(layer, true);
    for (const Stage stage : all_stages()) {
      const std::string key = "layers." + std::to_string(layer) + "." + gradient_name(stage);
      if (!expected.file->find(key)) continue;
      INFO(key);
      REQUIRE(slopes[stage].defined());
      check_close(slopes[stage], expected.file->load(key));
      ++stages;
    }
    check_close(slopes.residual, expected.file->load("layers." + std::to_string(layer) + ".d_residual"));
  }
  CHECK(stages > 20);
}

}  // namespace

TEST_CASE("the gradients of every parameter and stage are PyTorch's, for a GPT-2", "[training][attention]") {
  check_gradients(shape_with(2, "causal()"), "plain");
}

TEST_CASE("the gradients are PyTorch's with grouped heads, RoPE, ALiBi, a soft-cap, a scale and a query without keys",
          "[training][attention]") {
  NetworkShape shape = shape_with(2, "k < q");
  shape.kv_heads = 1;
  shape.rope = Rope::half;
  shape.alibi = true;
  shape.softcap = 2.0F;
  shape.scale = 0.7F;
  check_gradients(shape, "everything");
}

TEST_CASE("ten steps of AdamW are PyTorch's", "[training][attention]") {
  const NetworkShape shape = shape_with(1, "full()");
  const ParameterLayout layout(shape);
  const Expected expected("steps");
  Buffer weights = expected.weights(layout, "param."), mean(weights.size(), 0.0F), square(mean), gradients(mean);
  Pass pass(shape, layout, 2, 5);
  const Tensor losses = expected.file->load("losses");
  for (int step = 1; step <= 10; ++step) {
    pass.forward(weights.data(), expected.tokens);
    const double loss = pass.loss(expected.targets, expected.by()).sum * static_cast<double>(expected.by());
    CHECK(std::abs(loss - static_cast<double>(losses.values()[static_cast<std::size_t>(step - 1)])) < 1e-4);
    pass.backward(weights.data(), gradients.data());
    kernels().adamw(weights.data(), mean.data(), square.data(), gradients.data(), layout.count,
                    {3e-3F, 0.01F, 0.9F, 0.98F, 1e-8F, static_cast<float>(1 - std::pow(0.9, step)),
                     static_cast<float>(1 - std::pow(0.98, step))});
  }
  const Buffer after = expected.weights(layout, "after.");
  // The bias of keys adds the same to all scores of a row: its gradient is 0 but for rounding, which AdamW, dividing by
  // the gradient's own size, makes a step of full length in either direction.
  const Index key_bias = layout.blocks[0].b_qkv + shape.key_column(),
              values = layout.blocks[0].b_qkv + shape.value_column();
  for (Index i = 0; i < layout.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if ((i < key_bias || i >= values) && std::abs(weights[at] - after[at]) > 1e-3F) FAIL(i);
  }
}

TEST_CASE("a position that is not asked has no gradient", "[training]") {
  const NetworkShape shape = shape_with(1, "causal()");
  const ParameterLayout layout(shape);
  Buffer weights(static_cast<std::size_t>(layout.count)), gradients(weights.size(), 0.0F);
  draw_weights(shape, layout, 1, weights.data());
  Pass pass(shape, layout, 1, 5);
  const std::vector<std::int32_t> tokens{0, 1, 2, 3, 4}, nothing(5, -1);
  pass.forward(weights.data(), tokens);
  const PassLoss loss = pass.loss(nothing, 1);
  CHECK(loss.sum == 0);
  pass.backward(weights.data(), gradients.data());
  CHECK(std::ranges::all_of(gradients, [](float slope) { return slope == 0; }));
}
