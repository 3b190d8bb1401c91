#include "core/compute/attention/projection.h"

#include <algorithm>

#include "core/base/tensor/sampler.h"
#include "core/compute/attention/product.h"
#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

Tensor by_hand(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  Buffer values;
  for (const double value : naive_projection(x.matrix(), weight, bias)) values.push_back(static_cast<float>(value));
  return Tensor({1, x.size(1), weight.size(0)}, std::move(values));
}

}  // namespace

TEST_CASE("a projection is x times the transposed weight plus the bias, for sizes of more than one block",
          "[attention]") {
  for (const Index rows : {1, 2, 128, 131}) {
    const Tensor x = sampled({1, rows, 70}, "x"), weight = sampled({300, 70}, "w"), bias = sampled({300}, "b");
    CHECK_THAT(project(x, weight, bias), agrees_with(by_hand(x, weight, bias)));
  }
}

TEST_CASE("a weight stored as [in, out] projects the same as its transpose", "[attention]") {
  const Tensor x = sampled({1, 3, 7}, "x"), weight = sampled({7, 5}, "w").transpose(0, 1);
  CHECK_THAT(project(x, weight, {}), agrees_with(project(x, weight.contiguous(), {})));
}

TEST_CASE("random weights that are generated when read project the same as those in memory", "[attention]") {
  const Sampler sampler(3, "w");
  const Tensor stored = Sampler(sampler).uniform({150, 70}, -1, 1), read = sampler.uniform_on_demand(150, 70, -1, 1);
  const Tensor bias = sampled({150}, "b");
  for (const Index rows : {1, 30, 5000}) {
    const Tensor x = sampled({1, rows, 70}, "x"), y = sampled({1, rows, 150}, "y");
    CHECK(std::ranges::equal(project(x, read, bias).values(), project(x, stored, bias).values()));
    CHECK_THAT(project(y, read.transpose(0, 1), {}), agrees_with(project(y, stored.transpose(0, 1), {})));
  }
  const Tensor x = sampled({1, 3, 70}, "x");
  Buffer a(3 * 150), b(3 * 150);
  product(x.matrix(), transposed(read.matrix()), {a.data(), 3, 150, 150});
  product(x.matrix(), transposed(stored.matrix()), {b.data(), 3, 150, 150});
  CHECK(a == b);
}

TEST_CASE("without a weight a projection is the identity", "[attention]") {
  const Tensor x = sampled({1, 2, 3}, "x");
  CHECK(identical(project(x, {}, {}), x));
  CHECK(project(x, {}, Tensor::of({3}, {1, 2, 3})).at({0, 1, 2}) == x.at({0, 1, 2}) + 3);
}

TEST_CASE("one packed projection equals three separate ones", "[attention]") {
  const Tensor x = sampled({2, 4, 6}, "x"), packed = sampled({18, 6}, "w"), bias = sampled({18}, "b");
  const Tensor whole = project(x, packed, bias);
  for (const Index i : {0, 1, 2}) {
    const Tensor part = project(x, packed.slice(0, 6 * i, 6), bias.slice(0, 6 * i, 6));
    CHECK_THAT(whole.slice(2, 6 * i, 6), agrees_with(part));
  }
}

TEST_CASE("splitting then merging heads is the identity and moves no number", "[attention]") {
  const Tensor x = sampled({2, 5, 12}, "x");
  CHECK(identical(merge_heads(split_heads(x, 3)), x));
  CHECK(split_heads(x, 3).at({1, 2, 4, 1}) == x.at({1, 4, 9}));
}
