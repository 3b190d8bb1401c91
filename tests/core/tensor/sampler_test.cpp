#include "core/tensor/sampler.h"

#include <cmath>

#include "tests/catch.h"

using namespace headlight;

// The expected numbers were computed by a Python program of the same generator.
TEST_CASE("a seed and a stream give the same numbers on every platform") {
  Sampler uniform(7, "W_q");
  CHECK(uniform.uniform() == 0.20351576805114746F);
  CHECK(uniform.uniform() == 0.006685733795166016F);
  CHECK(uniform.uniform() == 0.9577326774597168F);
  Sampler normal(7, "W_q");
  CHECK(normal.normal() == -1.4908781051635742F);
  CHECK(normal.normal() == -2.1971845626831055F);
  CHECK(normal.normal() == 0.8555278778076172F);
  const Tensor t = Sampler(7, "W_q").uniform({3}, -0.3F, 0.7F);
  CHECK(t.at({2}) == 0x1.50c256p-1F);
  CHECK(t.at({1}) == -0x1.2c5a94p-2F);
}

TEST_CASE("another seed or another stream gives other numbers") {
  const float drawn = Sampler(7, "W_q").uniform();
  CHECK(Sampler(8, "W_q").uniform() != drawn);
  CHECK(Sampler(7, "W_k").uniform() != drawn);
}

TEST_CASE("normal numbers have mean zero and deviation one") {
  const Tensor t = Sampler(0, "normal").normal({40000});
  double sum = 0, squares = 0;
  for (const float x : t.values()) {
    sum += static_cast<double>(x);
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  CHECK(std::abs(sum / 40000) < 0.02);
  CHECK(std::abs(squares / 40000 - 1) < 0.03);
}
