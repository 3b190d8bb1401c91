#include "core/compute/run/conventions.h"

#include <algorithm>
#include <cmath>

#include "core/compute/run/pipeline.h"
#include "tests/catch.h"
#include "tests/places.h"

using namespace headlight;

namespace {

Scenario masked(const std::string& expression) {
  Scenario scenario;
  scenario.mask = expression;
  return scenario;
}

struct ConventionResult : Convention, ConventionEffect {};

std::vector<ConventionResult> conventions(const Trace& trace) {
  std::vector<ConventionResult> all;
  for (const Convention& choice : other_conventions(trace)) all.push_back({choice, effect_of(choice, trace)});
  return all;
}

const ConventionResult* find(const std::vector<ConventionResult>& all, const std::string& id) {
  const auto found = std::ranges::find(all, id, &ConventionResult::id);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("swapping the calls of two patterns changes nothing else in an expression") {
  CHECK(with_calls_swapped("causal() && window(3)", "window", "window_inclusive") == "causal() && window_inclusive(3)");
  CHECK(with_calls_swapped("window_inclusive(2) || window(3)", "window", "window_inclusive") ==
        "window(2) || window_inclusive(3)");
  CHECK(with_calls_swapped("sink(1)", "window", "window_inclusive") == "sink(1)");
}

TEST_CASE("each other convention says how many cells of the mask and how much of the output it changes") {
  const auto trace = compute(masked("causal() && window(3)"));  // 6 tokens, 4 heads
  const auto all = conventions(*trace);
  const ConventionResult* polarity = find(all, "polarity");
  REQUIRE(polarity);
  CHECK(polarity->cells == trace->dims().heads * 36);
  CHECK(polarity->output_change > 0);
  const ConventionResult* window = find(all, "window");
  REQUIRE(window);
  CHECK(window->cells == trace->dims().heads * 3);  // one more key for queries 3, 4 and 5
  CHECK(window->output_change > 0);
  CHECK(window->scenario.mask == "causal() && window_inclusive(3)");
  const auto again = compute(window->scenario);
  CHECK(again->records[static_cast<std::size_t>(Stage::mask)].output.at({0, 0, 5, 2}) == 1);
  const ConventionResult* fill = find(all, "fill:-1e9");
  REQUIRE(fill);
  CHECK(fill->weights_change == 0);  // the fill is low enough that no weight leaks
  CHECK(fill->changes_nothing());
  CHECK_FALSE(polarity->changes_nothing());
  CHECK(find(all, "fill:-inf") == nullptr);
  CHECK(find(all, "corner") == nullptr);
  CHECK(find(all, "dead_row:zero") == nullptr);
}

TEST_CASE("a mask after the softmax leaves rows that do not sum to one") {
  const auto trace = compute(masked("causal()"));
  const auto all = conventions(*trace);
  const ConventionResult* wrong = find(all, "after_softmax");
  REQUIRE(wrong);
  CHECK_FALSE(wrong->applies);
  CHECK(wrong->cells == 0);
  const MatrixView weights = wrong->weights.matrix(0, 0);
  float first = 0, last = 0;
  for (Index c = 0; c < 6; ++c) {
    first += weights(0, c);
    last += weights(5, c);
  }
  CHECK(first < 0.999f);
  CHECK(last == Approx(1).margin(1e-5));
  CHECK(wrong->output_change > 0);
}

TEST_CASE("policies for dead rows and the other corner are offered where the mask has them") {
  const auto dead = compute(masked("k < q"));
  const auto all = conventions(*dead);
  const ConventionResult* zero = find(all, "dead_row:zero");
  REQUIRE(zero);
  CHECK(zero->nan_changes);
  Scenario wide = masked("causal()");
  wide.source = Source::random;
  wide.queries = 3;
  wide.keys = 5;
  const auto corner = conventions(*compute(wide));
  REQUIRE(find(corner, "corner"));
  CHECK(find(corner, "corner")->scenario.mask == "causal_bottom_right()");
  CHECK(conventions(*compute(Scenario())).empty());  // no mask
}

TEST_CASE("the other polarity inverts painted cells too") {
  Scenario scenario = masked("causal()");
  scenario.painted = {{.query = 0, .key = 3, .attend = true}, {.query = 5, .key = 0, .attend = false}};
  const auto trace = compute(scenario);
  const auto all = conventions(*trace);
  const ConventionResult* polarity = find(all, "polarity");
  REQUIRE(polarity);
  CHECK(polarity->cells == trace->dims().heads * 36);
  scenario.mask = "causal() && !painted()";  // the expression says itself how painted cells count
  const auto named = compute(scenario);
  const auto others = conventions(*named);
  CHECK(find(others, "polarity")->cells == named->dims().heads * 36);
}

TEST_CASE("attention from a file has no output: each convention says what it does to the weights") {
  Scenario scenario = masked("causal()");
  scenario.source = Source::file;
  scenario.file = places::fixtures() + "/attention_flow.npz";
  scenario.axes = "L,H,q,k";
  const auto trace = compute(scenario);
  REQUIRE_FALSE(trace->has(Stage::V_heads));
  for (const ConventionResult& each : conventions(*trace)) {
    INFO(each.id);
    CHECK(each.output_change == 0);
    CHECK(each.weights.defined());
  }
}
