#include "core/compute/run/difference.h"

#include <cmath>

#include "core/compute/run/pipeline.h"
#include "core/scenario/documents/scenario_json.h"
#include "tests/catch.h"

using namespace headlight;
using Kind = StageDifference::Kind;

namespace {

Scenario sentence() {
  Scenario scenario;
  scenario.mask = "causal()";
  scenario.heads = 4;
  return scenario;
}

}  // namespace

TEST_CASE("a run subtracted from itself differs nowhere, NaN and infinities included") {
  Scenario scenario = sentence();
  scenario.mask = "k < q";  // the first row is dead
  const auto a = compute(scenario);
  const auto b = compute(scenario);  // computed a second time: equal numbers in other tensors
  REQUIRE(std::isnan((*a)[Stage::weights].at({0, 0, 0, 0})));
  const Difference d = difference(*a, *b);
  CHECK(d.first() == nullptr);
  CHECK(d.find(Stage::weights)->kind == Kind::same);
  CHECK(d.find(Stage::W_q)->kind == Kind::same);
}

TEST_CASE("a new scale changes the scaled scores first, by exactly B minus A, and names the largest change") {
  const auto a = compute(sentence());
  Scenario scenario = sentence();
  scenario.scale = 1.0f;
  const auto b = compute(scenario, a.get());
  const Difference d = difference(*a, *b);
  REQUIRE(d.first() != nullptr);
  CHECK(d.first()->stage == Stage::scaled_scores);
  const StageDifference& weights = *d.find(Stage::weights);
  REQUIRE(weights.kind == Kind::differs);
  float largest = 0;
  Index changed = 0;
  for (Index h = 0; h < 4; ++h) {
    const MatrixView before = (*a)[Stage::weights].matrix(0, h), after = (*b)[Stage::weights].matrix(0, h);
    for (Index r = 0; r < before.rows; ++r) {
      for (Index c = 0; c < before.cols; ++c) {
        const float change = after(r, c) - before(r, c);
        CHECK(weights.values.matrix(0, h)(r, c) == change);
        largest = std::max(largest, std::abs(change));
        changed += change != 0 ? 1 : 0;
      }
    }
  }
  CHECK(weights.largest == largest);
  CHECK(weights.changed == changed);
  CHECK(std::abs(weights.values.matrix(0, weights.at.head)(weights.at.row, weights.at.col)) == largest);
}

TEST_CASE("a newly masked score changes by minus infinity and is counted, but is not the largest change") {
  const auto a = compute(sentence());
  Scenario scenario = sentence();
  scenario.mask = "causal() && window(2)";
  const auto b = compute(scenario);
  const Difference d = difference(*a, *b);
  CHECK(d.first()->stage == Stage::mask);
  const StageDifference& masked = *d.find(Stage::masked_scores);
  CHECK(masked.values.at({0, 0, 5, 0}) == -INFINITY);
  CHECK(masked.values.at({0, 0, 0, 5}) == 0);
  CHECK(masked.largest == 0);
  CHECK(masked.changed == 4 * 10);
  CHECK((masked.at == Cell{Stage::masked_scores, 0, 0, 2, 0}));
}

TEST_CASE("stages that cannot be subtracted say why") {
  const auto a = compute(sentence());
  Scenario scenario = sentence();
  scenario.mask = "";
  scenario.alibi = true;
  scenario.text = "the cat sat";
  const auto b = compute(scenario);
  const Difference d = difference(*a, *b);
  CHECK(d.find(Stage::mask)->kind == Kind::only_a);
  CHECK(d.find(Stage::biased_scores)->kind == Kind::only_b);
  CHECK(d.find(Stage::weights)->kind == Kind::other_shape);
  CHECK(d.find(Stage::W_q)->kind == Kind::same);
}

TEST_CASE("settings that differ between two scenarios are listed by field") {
  const Scenario a = sentence();
  Scenario b = a;
  CHECK(scenario_changes(a, b).empty());
  b.heads = 2;
  b.mask = "window(2)";
  b.scale.reset();
  b.dropout = 0.5f;
  b.edits.push_back({Stage::query, 0, 1, 2, 3.0f});
  std::string told;
  for (const ScenarioChange& change : scenario_changes(a, b))
    told += change.field + ":" + change.from + ">" + change.to + " ";
  CHECK(told == "heads:4>2 mask:causal()>window(2) dropout:>0.5 edits:>1 ");
}
