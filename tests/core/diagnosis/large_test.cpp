// Inputs so large that the search for mistakes cannot try each of them.
#include <cmath>
#include <limits>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/run/pipeline.h"
#include "core/teaching/diagnosis/diagnosis.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "tests/catch.h"
#include "tests/core/diagnosis/own.h"

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
  const Comparison comparison = compared(trace, own);
  REQUIRE(comparison.diagnosis().size() == 1);
  CHECK(comparison.diagnosis().front().id == "merge_without_transpose");
}

TEST_CASE("rounding errors of the user's Q and K are no difference of their scores") {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.heads = 4, scenario.d_model = 64, scenario.queries = 256;
  const auto trace = compute(scenario);
  // Within the tolerance of Q and K; sums of products near 0 are then off by more than theirs.
  const auto off = [](const Tensor& right, Index period) {
    Buffer numbers(right.contiguous().values().begin(), right.contiguous().values().end());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] *= static_cast<Index>(i) % period == 0 ? 1 + 4.5e-5F : 1 - 4.5e-5F;
    return Tensor(right.shape(), std::move(numbers));
  };
  const Tensor Q = off((*trace)[Stage::Q], 3), K = off((*trace)[Stage::K], 2);
  const auto user = [&](double scale) {
    const auto own = compute_variant({trace, {{Stage::Q, Q}, {Stage::K, K}}}, {}, {});
    OwnStages stages = own_stages_of(*own);
    for (OwnStage& stage : stages.stages) {
      if (stage.stage == Stage::scaled_scores && scale != 1)
        stage.values = each_number(stage.values, [&](float v) { return static_cast<float>(v * scale); });
    }
    return stages;
  };
  CHECK(compared(trace, user(1)).agrees());
  CHECK(compared(trace, user(1)).diagnosis().empty());

  OwnStages unscaled = user(4);  // sqrt(64 / 4)
  std::erase_if(unscaled.stages, [](const OwnStage& stage) { return stage.stage > Stage::scaled_scores; });
  const Comparison comparison = compared(trace, unscaled);
  REQUIRE(comparison.first_difference());
  CHECK(comparison.first_difference()->stage == Stage::scaled_scores);
  REQUIRE(comparison.diagnosis().size() == 1);
  CHECK(comparison.diagnosis().front().id == "no_scale");
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
