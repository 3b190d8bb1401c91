// What is known of a run that learns, and which of its moments are shown.
#include "core/compute/engine/learning.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/compute/engine/engine.h"
#include "core/compute/run/statistics.h"
#include "core/scenario/documents/scenario_json.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;

namespace {

/// A run of 300 steps whose accuracy rises from `low` to `high` between steps 20 and 40, with a little scatter.
Learned learned(double low, double high) {
  Learned run;
  run.step = run.settings.steps;
  for (Index step = 0; step <= 300; step += 2) {
    const double share = std::clamp(static_cast<double>(step - 20) / 20, 0.0, 1.0),
                 scatter = step % 4 == 0 ? 0.01 : -0.01;
    run.moments.push_back({step, nullptr, {step, 0, low + (high - low) * share + (step > 0 ? scatter : 0)}});
  }
  return run;
}

Scenario run_scenario() {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = "train:reverse;d_model=16@4";
  return scenario;
}

}  // namespace

TEST_CASE("the moments that are shown are close together where right answers become more, from the first to the newest",
          "[training]") {
  const Learned quick = learned(0.06, 0.98);
  const auto shown = quick.telling(6);
  REQUIRE(shown.size() == 6);
  CHECK(shown.front()->step == 0);
  CHECK(shown.back()->step == 300);
  CHECK(std::ranges::is_sorted(shown, std::ranges::less_equal(), [](const auto* moment) { return moment->step; }));
  CHECK(std::ranges::count_if(shown, [](const auto* moment) { return moment->step >= 18 && moment->step <= 42; }) >= 3);
  for (std::size_t i = 1; i < shown.size(); ++i)
    CHECK(shown[i]->measured.accuracy - shown[i - 1]->measured.accuracy < 0.35);
}

TEST_CASE("where nothing is learned, the moments are spread over the steps; all are shown where they are few",
          "[training]") {
  const Learned flat = learned(0.06, 0.06);
  const auto shown = flat.telling(4);
  REQUIRE(shown.size() == 4);
  CHECK(std::abs(shown[1]->step - 100) <= 20);
  CHECK(std::abs(shown[2]->step - 200) <= 20);
  Learned begun = learned(0.06, 0.98);
  begun.moments.resize(3);
  CHECK(begun.telling(6).size() == 3);
  begun.moments.resize(1);
  CHECK(begun.telling(6).size() == 1);
}

TEST_CASE("a run of a million steps shows how far it is before a hundred and fiftieth of them is done", "[training]") {
  TrainingSettings run = training_defaults("reverse");
  run.steps = 1000000;
  Learning learning([] {});
  const Learning::Wish wish{&run, run.steps};
  std::shared_ptr<const Learned> now;
  while (!now || now->step == 0) {
    learning.want(std::span(&wish, 1), 0);
    now = learning.now(run);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(now->step < run.steps / 150);
  CHECK(now->moments.back().step == now->step);
}

TEST_CASE("with a loss the engine gives its gradients, and without one the same numbers again", "[training][engine]") {
  Engine engine;
  engine.submit(run_scenario());
  const auto numbers = engine.wait()->trace;
  REQUIRE(numbers);
  engine.submit(run_scenario(), {}, "");
  const auto gradients = engine.wait();
  REQUIRE(gradients->trace);
  REQUIRE(gradients->trace->gradients_of);
  CHECK(gradients->trace->summary->extent(Stage::weights).range(ColormapKind::sequential).lo <
        0);  // they have both signs
  CHECK(identical((*gradients->trace->gradients_of)[Stage::weights], (*numbers)[Stage::weights]));
  engine.submit(run_scenario());
  const auto again = engine.wait()->trace;
  CHECK_FALSE(again->gradients_of);
  CHECK(identical((*again)[Stage::weights], (*numbers)[Stage::weights]));
  Scenario of_none;
  of_none.source = Source::random;
  engine.submit(of_none, {}, "");
  CHECK_FALSE(engine.wait()->error.empty());
}

TEST_CASE("a scenario file names a run as it is, not as a path", "[training]") {
  const samples::TempFolder scratch;
  write_scenario((scratch / "run.json").string(), run_scenario());
  CHECK(read_scenario((scratch / "run.json").string()).file == run_scenario().file);
}
