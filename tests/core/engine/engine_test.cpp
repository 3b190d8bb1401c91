#include "core/compute/engine/engine.h"

#include <atomic>
#include <cstdlib>
#include <vector>

#include "core/compute/run/statistics.h"
#include "tests/catch.h"
#include "tests/environment.h"

using namespace headlight;

namespace {

Scenario random_scenario(Index tokens) {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.batch_size = 1;
  scenario.queries = scenario.keys = tokens;
  scenario.d_model = 16;
  scenario.heads = 2;
  return scenario;
}

}  // namespace

TEST_CASE("an engine computes what is submitted and hands it out once") {
  Engine engine;
  const std::uint64_t ticket = engine.submit(random_scenario(4));
  const std::optional<Outcome> outcome = engine.wait();
  REQUIRE(outcome);
  CHECK(outcome->ticket == ticket);
  CHECK(outcome->error.empty());
  REQUIRE(outcome->trace);
  CHECK(outcome->trace->has(Stage::output));
  CHECK_FALSE(engine.take());
  CHECK_FALSE(engine.progress().busy);
}

TEST_CASE("the newest scenario wins and cancels the one under way") {
  Engine engine;
  for (int i = 0; i < 20; ++i) engine.submit(random_scenario(1500));
  const std::uint64_t newest = engine.submit(random_scenario(3));
  const std::optional<Outcome> outcome = engine.wait();
  REQUIRE(outcome);
  CHECK(outcome->ticket == newest);
  CHECK(outcome->trace->dims().n_q == 3);
}

TEST_CASE("an InputError comes back as its message, and the engine goes on") {
  Engine engine;
  Scenario wrong = random_scenario(4);
  wrong.mask = "causal(";
  engine.submit(wrong);
  const std::optional<Outcome> outcome = engine.wait();
  REQUIRE(outcome);
  CHECK_FALSE(outcome->trace);
  CHECK_FALSE(outcome->error.empty());
  engine.submit(random_scenario(4));
  CHECK(engine.wait()->trace);
}

TEST_CASE("stages of the last trace are reused: a new mask does not project Q again") {
  Engine engine;
  Scenario scenario = random_scenario(4);
  engine.submit(scenario);
  const auto first = engine.wait()->trace;
  scenario.mask = "causal()";
  engine.submit(scenario);
  const auto second = engine.wait()->trace;
  CHECK(identical((*first)[Stage::Q], (*second)[Stage::Q]));
  CHECK_FALSE(identical((*first)[Stage::weights], (*second)[Stage::weights]));
}

TEST_CASE("the engine wakes its owner when an outcome is ready") {
  std::atomic<int> wakes = 0;
  {
    Engine engine([&wakes] { ++wakes; });
    engine.submit(random_scenario(4));
    engine.wait();
  }
  CHECK(wakes > 0);
}

TEST_CASE("an engine that is busy can be destroyed at once") {
  Engine engine;
  engine.submit(random_scenario(3000));
}

TEST_CASE("an engine reports its progress while it computes") {
  std::atomic<bool> saw_work = false;
  std::atomic<const Engine*> watched = nullptr;
  Engine engine([&] {
    const Engine* const now = watched;
    if (!now) return;
    const Progress progress = now->progress();
    if (progress.busy && progress.share > 0 && progress.share <= 1 && progress.elapsed_seconds > 0) saw_work = true;
  });
  watched = &engine;
  engine.submit(random_scenario(1500));
  CHECK(engine.wait()->trace);
  CHECK(saw_work);
}

TEST_CASE("for a sequence too long to store, the trace arrives before the overview of its heads") {
  std::vector<Outcome> outcomes;
  {
    const SetVariable memory("HEADLIGHT_MEMORY", "0.5");  // megabytes
    Engine* asked = nullptr;
    Engine engine([&] {
      if (auto outcome = asked->take()) outcomes.push_back(std::move(*outcome));
    });
    asked = &engine;
    Scenario scenario = random_scenario(400);
    scenario.mask = "causal()";
    engine.submit(scenario);
    if (auto outcome = engine.wait()) outcomes.push_back(std::move(*outcome));
  }
  REQUIRE_FALSE(outcomes.empty());
  REQUIRE((*outcomes.front().trace)[Stage::weights].source());
  REQUIRE(outcomes.size() == 2);
  const Trace &first = *outcomes[0].trace, &whole = *outcomes[1].trace;
  CHECK_FALSE(outcomes[0].last);
  CHECK_FALSE(first.summary->is_whole());
  CHECK_FALSE(first.summary->extent(Stage::weights).empty());
  CHECK(first.summary->kinds(Stage::weights, 0, 0) == KindCounts{});
  CHECK(outcomes[1].last);
  CHECK(whole.summary->is_whole());
  CHECK(whole.summary->kinds(Stage::weights, 0, 1)[static_cast<std::size_t>(CellKind::masked)] == 400 * 399 / 2);
  CHECK(whole.overview);
  CHECK(identical(first[Stage::weights], whole[Stage::weights]));
}
