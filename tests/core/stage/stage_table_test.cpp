// Checks for every row of the table of stages that everything made from the row agrees with it.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/compute/run/stage_steps.h"
#include "core/figures/export/reproduce_script.h"
#include "core/teaching/explain/explain.h"
#include "tests/attention_inputs.h"
#include "tests/catch.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

Scenario everything() {
  Scenario s;
  s.rope = Rope::half;
  s.qk_norm = QkNorm::rms;
  s.softcap = 2.0F;
  s.alibi = s.training = true;
  s.dropout = 0.3F;
  s.mask = "k <= q + 2";
  return s;
}

Inputs heads_only(bool values) {
  Inputs in;
  in.dims = {.batch = 2, .heads = 4, .kv_heads = 2, .n_q = 3, .n_k = 5, .d_model = 16, .d_head = 4, .d_out = 24};
  in.Q_heads = sampled({2, 4, 3, 4}, "Q");
  in.K_heads = sampled({2, 2, 5, 4}, "K");
  if (values) in.V_heads = sampled({2, 2, 5, 6}, "V");  // values have a head size of their own
  return in;
}

Inputs weights_only() {
  Inputs in;
  in.dims = {.batch = 1, .heads = 2, .kv_heads = 2, .n_q = 3, .n_k = 3, .d_model = 2, .d_head = 1, .d_out = 2};
  in.weights = Tensor::full({1, 2, 3, 3}, 1.0F / 3);
  return in;
}

/// Runs in which every stage occurs at least once.
std::vector<std::shared_ptr<const Trace>> runs() {
  Scenario turned, normed, scaled_before;
  turned.rope = Rope::interleaved;
  turned.rotary_dim = 2;
  normed.qk_norm = QkNorm::l2;
  scaled_before.scale_first = true;
  const Sizes grouped{.heads = 4, .kv_heads = 2, .n_q = 5, .n_k = 7, .self = false};
  Inputs no_output = small_inputs();
  no_output.W_o = no_output.b_o = no_output.W_q = no_output.b_q = Tensor();
  Scenario weights_masked;
  weights_masked.mask = "causal()";
  weights_masked.training = true;
  weights_masked.dropout = 0.5F;
  return {traced(small_inputs()),
          traced(small_inputs(grouped), everything()),
          traced(small_inputs(), turned),
          traced(small_inputs(), normed),
          traced(no_output),
          traced(heads_only(true), everything()),
          traced(heads_only(false)),
          traced(weights_only(), weights_masked),
          traced(small_inputs(), scaled_before)};
}

/// Whether one of the regions contains the cell.
bool reaches(const std::vector<Region>& regions, const Cell& cell) {
  return std::ranges::any_of(regions, [&](const Region& r) {
    return r.stage == cell.stage && r.batch == cell.batch && r.head == cell.head && cell.row >= r.row &&
           cell.row < r.row + r.rows && cell.col >= r.col && cell.col < r.col + r.cols;
  });
}

}  // namespace

TEST_CASE("every stage and parameter has a name, a formula, a letter and a symbol of its own kind", "[stage]") {
  std::set<std::string_view> names;
  for (const Stage stage : all_matrices()) {
    INFO(name(stage));
    CHECK(names.insert(name(stage)).second);
    CHECK(stage_named(name(stage)) == stage);
    CHECK_FALSE(info(stage).formula.empty());
    CHECK_FALSE(info(stage).letter.empty());
    CHECK_FALSE(info(stage).symbol.empty());
    CHECK(is_input(stage) + is_parameter(stage) +
              (step_of(is_parameter(stage) ? Stage::query : stage).stage == stage && !is_input(stage)) ==
          1);
  }
  CHECK(stage_named("nothing") == std::nullopt);
}

TEST_CASE("an optional stage has the axes of the stage that stands for it", "[stage]") {
  for (const Stage stage : all_stages()) {
    if (info(stage).presence != Presence::optional) continue;
    INFO(name(stage));
    const StageInfo &own = info(stage), &before = info(own.sources[0].stage);
    CHECK(own.rows == before.rows);
    CHECK(own.cols == before.cols);
    CHECK(own.lead[0] == before.lead[0]);
    CHECK(own.lead[1] == before.lead[1]);
    CHECK(stand_in(stage, [&](Stage s) {
      return s == Stage::weights || s == Stage::Q_heads || s == Stage::K_heads || s == Stage::scaled_scores;
    }));
  }
}

TEST_CASE("each run has the stages that the table gives, with the shapes that it gives", "[stage]") {
  std::set<Stage> seen;
  for (const auto& trace : runs()) {
    for (const Stage stage : all_stages()) {
      INFO(name(stage));
      CHECK(trace->has(stage) == is_made(stage, *trace));
      if (!trace->has(stage)) continue;
      seen.insert(stage);
      if (trace->inputs.first_stage() != Stage::query && info(stage).lane == Lane::outputs)
        continue;  // V may have a head size of its own
      if (trace->inputs.first_stage() != Stage::query && stage == Stage::V_heads) continue;
      Shape shape;
      for (const Axis axis : {info(stage).lead[0], info(stage).lead[1], info(stage).rows, info(stage).cols}) {
        if (axis != Axis::none) shape.push_back(trace->dims().size(axis));
      }
      CHECK((*trace)[stage].shape() == shape);
      CHECK(std::ranges::equal(trace->records[static_cast<std::size_t>(stage)].sources, key_of(stage, *trace).sources,
                               identical));
    }
  }
  CHECK(seen.size() == stage_count);
}

TEST_CASE(
    "Q_rotated is there with RoPE alone, Q_normed with QK-norm alone, and the scores follow from the last of them",
    "[stage]") {
  for (const Rope rope : {Rope::none, Rope::half}) {
    for (const QkNorm norm : {QkNorm::none, QkNorm::rms}) {
      Scenario s;
      s.rope = rope;
      s.qk_norm = norm;
      const auto trace = traced(small_inputs(), s);
      for (const Stage stage : {Stage::Q_rotated, Stage::K_rotated}) CHECK(trace->has(stage) == (rope != Rope::none));
      for (const Stage stage : {Stage::Q_normed, Stage::K_normed}) CHECK(trace->has(stage) == (norm != QkNorm::none));
      const Stage last = rope != Rope::none     ? Stage::Q_rotated
                         : norm != QkNorm::none ? Stage::Q_normed
                                                : Stage::Q_heads;
      CHECK(explain(*trace, {Stage::scores, 0, 0, 1, 2}).terms.front().cell.stage == last);
      CHECK(trace->standing_for(Stage::Q_rotated) == last);
    }
  }
}

TEST_CASE("the terms of a cell are from the sources in its row, and each has the cell as a dependant", "[stage]") {
  for (const auto& trace : runs()) {
    for (const Stage stage : trace->stages()) {
      const Tensor& values = (*trace)[stage];
      const Cell cell{stage, values.size(0) - 1, values.rank() == 4 ? values.size(1) - 1 : 0, values.size(-2) - 1,
                      values.size(-1) - 1};
      INFO(name(stage));
      const Explanation e = explain(*trace, cell);
      CHECK(e.value == static_cast<double>(value_at(*trace, cell)));
      CHECK_FALSE(e.formula.empty());
      std::set<Stage> sources;
      for (const SourceStage& source : info(stage).sources) {
        if (const auto there = trace->standing_for(source.stage)) sources.insert(*there);
      }
      const bool known = trace->inputs.matrix(stage).defined();
      CHECK(e.terms.empty() == (known || sources.empty()));
      for (const Term& term : e.terms) {
        CHECK(sources.count(term.cell.stage) == 1);
        CHECK(reaches(dependants(*trace, term.cell), cell));
      }
    }
  }
}

TEST_CASE("the script has a line and a check for every stage of a run, in order", "[stage]") {
  for (const auto& trace : runs()) {
    for (const ScriptLibrary library : {ScriptLibrary::pytorch, ScriptLibrary::numpy}) {
      const std::string script = reproduce_script(*trace, library);
      std::size_t at = 0;
      for (const Stage stage : all_stages()) {
        const std::string check = "check(\"" + std::string(name(stage)) + "\", ";
        INFO(check);
        const std::size_t found = script.find(check);
        CHECK((found != std::string::npos) == trace->has(stage));
        if (!trace->has(stage)) continue;
        CHECK(found > at);
        at = found;
      }
    }
  }
}

TEST_CASE("the work of a run is shared out over its stages alone", "[stage]") {
  for (const auto& trace : runs()) {
    const WorkEstimate estimate(trace->scenario, trace->inputs);
    double before = 0;
    for (const Stage stage : all_stages()) {
      CHECK(estimate.share(stage, 0) == Approx(before));
      before = estimate.share(stage, 1);
      if (!trace->has(stage)) CHECK(before == Approx(estimate.share(stage, 0)));
    }
    CHECK(before == Approx(1));
  }
}
