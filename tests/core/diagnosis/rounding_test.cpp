// Code in half precision, of which only the output was saved.
#include <cmath>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/run/pipeline.h"
#include "core/teaching/diagnosis/diagnosis.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "tests/catch.h"
#include "tests/core/diagnosis/own.h"

using namespace headlight;

namespace {

float with_bits(float v, int bits) {
  int exponent = 0;
  const float mantissa = std::frexp(v, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
}
float to_half(float v) { return with_bits(v, 11); }  // of normal numbers
float to_bfloat16(float v) { return with_bits(v, 8); }

std::shared_ptr<const Trace> run_of_words() {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.heads = 4, scenario.d_model = 64, scenario.queries = 12;
  return compute(scenario);
}

/// The output of code that changes each number of these stages.
OwnStages output_with(const std::shared_ptr<const Trace>& trace, const std::vector<Stage>& stages,
                      const std::function<float(float)>& change) {
  Variant variant;
  for (const Stage stage : stages)
    variant.rules[stage] = [&change](const Trace&, const Usual& usual) { return each_number(usual(), change); };
  OwnStages own = own_stages_of(*compute_variant({trace, {}}, variant, {}));
  std::erase_if(own.stages, [](const OwnStage& each) { return each.stage != Stage::output; });
  return own;
}

}  // namespace

TEST_CASE("a part in half precision is found from the output alone and is no mistake") {
  const auto trace = run_of_words();
  using enum Stage;
  for (const std::vector<Stage>& part :
       {std::vector{Q, K, scores, scaled_scores}, std::vector{Q, K, scores}, std::vector{Q, K, V},
        std::vector{weights, V, head_outputs}, std::vector{scores, scaled_scores, weights, V, head_outputs},
        std::vector{Q, K, V, scores, scaled_scores, weights, head_outputs}}) {
    for (const auto& [round, id] : {std::pair(&to_half, "rounded_f16"), std::pair(&to_bfloat16, "rounded_bf16")}) {
      CAPTURE(id, part.front(), part.size());
      const Comparison comparison = compared(trace, output_with(trace, part, round));
      CHECK(comparison.matches());
      REQUIRE(comparison.diagnosis().size() == 1);
      CHECK(comparison.diagnosis().front().id == id);
      CHECK(comparison.diagnosis().front().harmless);
    }
  }
}

TEST_CASE("a difference that no known rounding gives, but is as small as one, is left open") {
  const auto trace = run_of_words();
  int at = 0;
  const auto off = [&at](float v) { return v * (++at % 3 == 0 ? 1.002F : 0.999F); };  // bfloat16 keeps 8 bits
  const Comparison comparison = compared(trace, output_with(trace, {Stage::scores, Stage::V}, off));
  CHECK_FALSE(comparison.agrees());
  CHECK(comparison.diagnosis().empty());
  CHECK(comparison.rounding == "bfloat16");

  OwnStages nan = output_with(trace, {Stage::scores, Stage::V}, off);
  Buffer numbers(nan.stages[0].values.values().begin(), nan.stages[0].values.values().end());
  numbers[3] = NAN;
  nan.stages[0].values = Tensor(nan.stages[0].values.shape(), std::move(numbers));
  CHECK(compared(trace, nan).rounding.empty());

  const auto far_off = [&at](float v) { return v * (++at % 3 == 0 ? 1.05F : 0.97F); };
  const Comparison wrong = compared(trace, output_with(trace, {Stage::scores, Stage::V}, far_off));
  CHECK(wrong.diagnosis().empty());
  CHECK(wrong.rounding.empty());
}
