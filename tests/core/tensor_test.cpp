#include "core/base/tensor/tensor.h"

#include "tests/catch.h"

using namespace headlight;

TEST_CASE("views share storage with their source and read the same numbers") {
  const Tensor t = Tensor::of({2, 3}, {0, 1, 2, 3, 4, 5});
  CHECK(t.at({1, 2}) == 5);
  CHECK(t.transpose(0, 1).at({2, 1}) == 5);
  CHECK(t.slice(0, 1, 1).at({0, 0}) == 3);
  CHECK(identical(t.view({3, 2}).view({2, 3}), t));
  CHECK_FALSE(identical(t, Tensor::of({2, 3}, {0, 1, 2, 3, 4, 5})));
}

TEST_CASE("contiguous packs a strided view in row-major order") {
  const Tensor t = Tensor::of({2, 3}, {0, 1, 2, 3, 4, 5}).transpose(0, 1).contiguous();
  CHECK(std::vector<float>(t.values().begin(), t.values().end()) == std::vector<float>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("splitting heads by view and transpose and merging them again is the identity") {
  Buffer values(2 * 5 * 12);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Tensor x({2, 5, 12}, values);
  const Tensor heads = x.view({2, 5, 3, 4}).transpose(1, 2);
  CHECK(heads.matrix(1, 2)(4, 3) == x.at({1, 4, 11}));
  const Tensor merged = heads.transpose(1, 2).view({2, 5, 12});
  CHECK(std::equal(merged.values().begin(), merged.values().end(), x.values().begin()));
}

TEST_CASE("broadcasting follows NumPy's rule") {
  CHECK(broadcastable({2, 1, 1, 5}, {2, 8, 4, 5}));
  CHECK(broadcastable({4, 5}, {2, 8, 4, 5}));
  CHECK_FALSE(broadcastable({3, 5}, {2, 8, 4, 5}));
  CHECK(Tensor::of({1, 2}, {7, 9}).expand({3, 2}).contiguous().at({2, 1}) == 9);
}
