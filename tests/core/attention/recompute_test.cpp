#include <algorithm>
#include <atomic>

#include "core/base/tensor/error.h"
#include "core/compute/attention/workers.h"
#include "core/compute/run/pipeline.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

std::vector<Stage> reused(const Trace& trace) {
  std::vector<Stage> list;
  for (const Stage stage : trace.stages()) {
    if (trace.records[static_cast<std::size_t>(stage)].reused) list.push_back(stage);
  }
  return list;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return std::ranges::equal(a.contiguous().values(), b.contiguous().values());
}

}  // namespace

TEST_CASE("running the same scenario again recomputes nothing", "[attention]") {
  const Inputs inputs = small_inputs();
  const auto first = traced(inputs);
  const auto second = compute({}, inputs, first.get(), {});
  CHECK(reused(*second) == first->stages());
  for (const Stage stage : first->stages()) CHECK(identical((*first)[stage], (*second)[stage]));
}

TEST_CASE("a new mask does not project Q again", "[attention]") {
  Inputs inputs = small_inputs();
  const auto first = traced(inputs);
  inputs.valid_lens = Tensor::of({2}, {3, 4});
  const auto second = compute({}, inputs, first.get(), {});
  CHECK(reused(*second) == std::vector<Stage>{Stage::query, Stage::key, Stage::value, Stage::Q, Stage::K, Stage::V,
                                              Stage::Q_heads, Stage::K_heads, Stage::V_heads, Stage::scores,
                                              Stage::scaled_scores});
  CHECK_THAT((*second)[Stage::output], agrees_with((*traced(inputs))[Stage::output]));
}

TEST_CASE("a new weight recomputes what it feeds and nothing else", "[attention]") {
  Inputs inputs = small_inputs();
  const auto first = traced(inputs);
  inputs.W_v = sampled({16, 16}, "another");
  const auto second = compute({}, inputs, first.get(), {});
  for (const Stage stage : {Stage::Q, Stage::K, Stage::scores, Stage::weights})
    CHECK(identical((*first)[stage], (*second)[stage]));
  for (const Stage stage : {Stage::V, Stage::V_heads, Stage::head_outputs, Stage::concat, Stage::output}) {
    CHECK_FALSE(identical((*first)[stage], (*second)[stage]));
  }
}

TEST_CASE("each setting recomputes from the first stage that depends on it", "[attention]") {
  Inputs inputs = small_inputs();
  inputs.valid_lens = Tensor::of({2}, {3, 4});
  const auto base = traced(inputs);
  const auto first_changed = [&](auto set) {
    Scenario scenario;
    set(scenario);
    const auto trace = compute(scenario, inputs, base.get(), {});
    const auto stages = trace->stages();
    return *std::ranges::find_if(stages, [&](Stage s) { return !trace->records[static_cast<std::size_t>(s)].reused; });
  };
  CHECK(first_changed([](Scenario& s) { s.rope = Rope::half; }) == Stage::Q_rotated);
  CHECK(first_changed([](Scenario& s) { s.qk_norm = QkNorm::rms; }) == Stage::Q_normed);
  CHECK(first_changed([](Scenario& s) { s.scale = 2.0F; }) == Stage::scaled_scores);
  CHECK(first_changed([](Scenario& s) { s.scale_first = true; }) == Stage::Q_scaled);
  CHECK(first_changed([](Scenario& s) { s.softcap = 2.0F; }) == Stage::capped_scores);
  CHECK(first_changed([](Scenario& s) { s.t5_bias = true; }) == Stage::biased_scores);
  CHECK(first_changed([](Scenario& s) { s.painted = {{.query = 1, .key = 1}}; }) == Stage::mask);
  CHECK(first_changed([](Scenario& s) { s.fill = -1e9F; }) == Stage::masked_scores);
  CHECK(first_changed([](Scenario& s) { s.mask_mode = MaskMode::add; }) == Stage::masked_scores);
  CHECK(first_changed([](Scenario& s) { s.dead_row = DeadRow::zero; }) == Stage::weights);
  CHECK(first_changed([](Scenario& s) { s.sink_logit = true; }) == Stage::weights);
  CHECK(first_changed([](Scenario& s) { s.training = true, s.dropout = 0.5F; }) == Stage::dropped_weights);
}

TEST_CASE("seeded tables stay the same tensor while their seed does, and change with it", "[attention]") {
  Scenario scenario;
  scenario.sink_logit = scenario.t5_bias = scenario.training = true;
  scenario.dropout = 0.5F;
  const Inputs inputs = small_inputs();
  const auto first = traced(inputs, scenario);
  const auto same = compute(scenario, inputs, first.get(), {});
  CHECK(identical(first->t5_table, same->t5_table));
  CHECK(identical(first->dropout_keep, same->dropout_keep));
  scenario.seed = scenario.dropout_seed = 1;
  const auto other = compute(scenario, inputs, first.get(), {});
  CHECK_FALSE(same_bits(first->t5_table, other->t5_table));
  CHECK_FALSE(same_bits(first->sink_logits, other->sink_logits));
  CHECK_FALSE(same_bits(first->dropout_keep, other->dropout_keep));
}

TEST_CASE("seeded sinks are not taken from a run whose sinks came from a file", "[attention]") {
  Inputs of_file = small_inputs();
  Rules own;
  own.sink_logits = Tensor::of({4}, {9, 9, 9, 9});
  of_file.rules = own;
  Scenario scenario;
  scenario.sink_logit = true;
  const auto first = traced(of_file, scenario);
  const auto second = compute(scenario, small_inputs(), first.get(), {});
  CHECK(same_bits(second->sink_logits, traced(small_inputs(), scenario)->sink_logits));
}

TEST_CASE("a stage that the last run computed in another way is computed again, and a NaN setting equals itself",
          "[attention]") {
  const Inputs inputs = small_inputs();
  Scenario scenario;
  scenario.mask = "causal()";
  scenario.fill = std::numeric_limits<float>::quiet_NaN();
  Run run;
  run.override_stage = [](Stage stage, const Trace&, const std::function<Tensor()>& usual) {
    return stage == Stage::Q ? sampled(usual().shape(), "other") : usual();
  };
  const auto other = compute(scenario, inputs, nullptr, run);
  const auto first = compute(scenario, inputs, other.get(), {});
  CHECK_FALSE(first->records[static_cast<std::size_t>(Stage::Q)].reused);
  CHECK_THAT((*first)[Stage::Q], agrees_with((*traced(inputs))[Stage::Q]));
  const auto second = compute(scenario, inputs, first.get(), {});
  CHECK(reused(*second) == first->stages());
}

TEST_CASE("the numbers do not depend on the number of threads", "[attention]") {
  const Inputs inputs = small_inputs({.batch = 1, .heads = 2, .kv_heads = 2, .n_q = 300, .n_k = 300, .d_model = 64});
  const auto one = compute({}, inputs, nullptr, {.threads = 1, .stop = {}, .progress = {}});
  const auto three = compute({}, inputs, nullptr, {.threads = 3, .stop = {}, .progress = {}});
  for (const Stage stage : one->stages()) CHECK(same_bits((*one)[stage], (*three)[stage]));
}

TEST_CASE("a run that is told to stop throws Cancelled", "[attention]") {
  std::stop_source stop;
  Run run{.threads = 2, .stop = stop.get_token(), .progress = [&](Stage stage, double) {
            if (stage == Stage::scores) stop.request_stop();
          }};
  CHECK_THROWS_AS(compute({}, small_inputs(), nullptr, run), Cancelled);
}

TEST_CASE("progress never goes back and ends at the whole", "[attention]") {
  double last = 0;
  Run run{.threads = 2, .stop = {}, .progress = [&](Stage, double share) {
            CHECK(share >= last);
            last = share;
          }};
  compute({}, small_inputs({.batch = 1, .heads = 2, .kv_heads = 2, .n_q = 300, .n_k = 300, .d_model = 64}), nullptr,
          run);
  CHECK(last > 0.99);
  CHECK(last <= 1);
}

TEST_CASE("every block runs once, and an exception in one reaches the caller", "[attention]") {
  const Workers workers{.threads = 3, .stop = {}, .progress = {}};
  std::vector<std::atomic<int>> runs(100);
  workers.run(100, 1e9, [&](Index block) { ++runs[static_cast<std::size_t>(block)]; });
  CHECK(std::ranges::all_of(runs, [](const auto& count) { return count == 1; }));
  CHECK_THROWS_AS(workers.run(100, 1e9, [](Index) { throw std::bad_alloc(); }), std::bad_alloc);
}
