#include "core/base/tensor/sampler.h"

#include <algorithm>
#include <cmath>

#include "tests/catch.h"

using namespace headlight;

// The expected numbers were computed by an independent implementation in Python.
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

TEST_CASE("numbers that are generated when read equal those generated at once") {
  const Sampler sampler(7, "W_q");
  const Tensor stored = Sampler(sampler).uniform({7, 300}, -2, 3), read = sampler.uniform_on_demand(7, 300, -2, 3);
  Index wrong = 0;
  for (Index i = 0; i < stored.count(); ++i)
    wrong += read.at({i * 11 % 7, i % 300}) != stored.at({i * 11 % 7, i % 300});
  CHECK(wrong == 0);
  CHECK(std::ranges::equal(read.slice(0, 3, 2).contiguous().values(), stored.slice(0, 3, 2).values()));
}

TEST_CASE("numbers drawn by several threads equal those of one, and the next number follows them") {
  constexpr Index count = (Index{1} << 20) + 12345;
  Sampler together(7, "x"), alone(7, "x");
  const Tensor normal = together.normal({count}), uniform = together.uniform({count}, -2, 3);
  Index wrong = 0;
  for (const float value : normal.values()) wrong += value != alone.normal();
  for (const float value : uniform.values())
    wrong += value != static_cast<float>(-2.0 + 5.0 * static_cast<double>(alone.uniform()));
  CHECK(wrong == 0);
  CHECK(together.normal() == alone.normal());
}
