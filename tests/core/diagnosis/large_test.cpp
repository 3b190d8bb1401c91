// Inputs so large that the search for mistakes cannot try each of them.
#include <cmath>
#include <limits>

#include "core/compute/run/pipeline.h"
#include "core/teaching/diagnosis/diagnosis.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "tests/catch.h"

using namespace headlight;

TEST_CASE("in large inputs, mistakes after the last stage that agrees are tried first") {
  Scenario scenario;
  scenario.mask = "causal()";
  scenario.source = Source::random;
  scenario.heads = 64, scenario.d_model = 128, scenario.queries = 512;
  const auto trace = compute(scenario);
  const Tensor& heads = (*trace)[Stage::head_outputs];
  const Tensor merged = heads.contiguous().view((*trace)[Stage::concat].shape());
  OwnStages own;
  for (const auto& [stage, values] : {std::pair(Stage::head_outputs, heads), std::pair(Stage::concat, merged)})
    own.stages.push_back({.stage = stage, .values = values, .stored = values.shape()});
  const Comparison comparison = compare(trace, own);
  REQUIRE(comparison.diagnosis().size() == 1);
  CHECK(comparison.diagnosis().front().id == "merge_without_transpose");
}

TEST_CASE("an infinity agrees with itself alone, wherever it is in a large tensor") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr Index count = 5000;
  for (const Index at : {Index{0}, Index{1023}, Index{1024}, count - 1}) {
    const auto with = [&](float value) {
      Buffer numbers(static_cast<std::size_t>(count), 1.0F);
      numbers[static_cast<std::size_t>(at)] = value;
      return Tensor({count}, std::move(numbers));
    };
    CAPTURE(at);
    CHECK(all_agree(with(-infinity), with(-infinity)));
    CHECK(all_agree(with(NAN), with(NAN)));
    CHECK(all_agree(with(1), with(1 + 1e-4F)));
    CHECK_FALSE(all_agree(with(1), with(1 + 2e-4F)));
    for (const float other : {1.0F, infinity, NAN}) {
      CHECK_FALSE(all_agree(with(-infinity), with(other)));
      CHECK_FALSE(all_agree(with(other), with(-infinity)));
    }
  }
}
