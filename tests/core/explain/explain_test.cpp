#include "core/teaching/explain/explain.h"

#include <algorithm>
#include <cmath>

#include "core/base/arrays/array_file.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/sampler.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/pipeline.h"
#include "core/teaching/explain/math_markup.h"
#include "tests/attention_inputs.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"
#include "tests/places.h"
#include "tests/score_settings.h"

using namespace headlight;

namespace {

/// The explained value, computed from its terms alone by the rule in explain.h.
double recomputed(const Explanation& e) {
  if (const Quantity* sum = e.quantity("sum")) {
    for (const Term& term : e.terms) {
      if (term.cell.col == e.cell.col) return term.factor / sum->value;
    }
  }
  double value = 0;
  for (const Term& term : e.terms) {
    if (term.factor != 0) value += term.factor * term.value;
  }
  for (const Quantity& quantity : e.quantities) {
    if (quantity.added) value += quantity.value;
  }
  return value;
}

const nlohmann::json& words_of_quantities() {
  static const nlohmann::json words =
      nlohmann::json::parse(places::text_of(places::assets() + "/translations/en.json")).at("inspector").at("quantity");
  return words;
}

bool is_leaf(Stage stage) { return stage <= Stage::value || stage == Stage::mask || is_parameter(stage); }

std::vector<Stage> matrices_of(const Trace& trace) {
  std::vector<Stage> all;
  for (std::size_t i = 0; i < matrix_count; ++i) {
    if (trace.has(static_cast<Stage>(i))) all.push_back(static_cast<Stage>(i));
  }
  return all;
}

Cell random_cell(const Trace& trace, Stage stage, Sampler& sampler) {
  const Tensor& tensor = trace[stage];
  const auto below = [&](Index n) {
    return std::min(static_cast<Index>(sampler.uniform() * static_cast<float>(n)), n - 1);
  };
  const MatrixView matrix = tensor.matrix();
  return {stage, tensor.rank() >= 3 ? below(tensor.size(0)) : 0, tensor.rank() >= 4 ? below(tensor.size(1)) : 0,
          below(matrix.rows), below(matrix.cols)};
}

void check_cell(const Trace& trace, const Cell& cell) {
  const Explanation e = explain(trace, cell);
  INFO(name(cell.stage) << " " << cell.batch << "," << cell.head << "," << cell.row << "," << cell.col << ": "
                        << e.formula << " = " << e.numbers);
  const float value = trace[cell.stage].at(std::span<const Index>(own_index(trace, cell)));
  CHECK(agrees(static_cast<float>(e.value), value));
  CHECK_FALSE(e.formula.empty());
  CHECK(e.terms.empty() == is_leaf(cell.stage));
  for (const Term& term : e.terms) {
    CHECK(contains(trace, term.cell));
    CHECK(agrees(static_cast<float>(term.value), value_at(trace, term.cell)));
  }
  if (!e.terms.empty()) CHECK(agrees(static_cast<float>(recomputed(e)), value));
  for (const Quantity& quantity : e.quantities) {
    INFO("en.json lacks \"inspector.quantity." << quantity.name << "\"");
    CHECK(words_of_quantities().contains(quantity.name));
  }
}

void check_random_cells(const Trace& trace, int count) {
  Sampler sampler(5, "cells");
  const std::vector<Stage> stages = matrices_of(trace);
  for (int i = 0; i < count; ++i)
    check_cell(trace, random_cell(trace, stages[static_cast<std::size_t>(i) % stages.size()], sampler));
}

Scenario of_file(const std::string& fixture) {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = places::fixtures() + "/" + fixture;
  return scenario;
}

Scenario everything() {
  Scenario s;
  s.source = Source::random;
  s.batch_size = 2;
  s.queries = 5;
  s.keys = 7;
  s.d_model = 16;
  s.heads = 4;
  s.kv_heads = 2;
  s.rope = Rope::half;
  s.qk_norm = QkNorm::rms;
  s.softcap = 2.0F;
  s.alibi = s.t5_bias = s.sink_logit = s.training = true;
  s.dropout = 0.3F;
  s.mask = "causal() && k != 0";
  return s;
}

bool in(const Region& region, const Cell& cell) {
  return region.stage == cell.stage && region.batch == cell.batch && region.head == cell.head &&
         cell.row >= region.row && cell.row < region.row + region.rows && cell.col >= region.col &&
         cell.col < region.col + region.cols;
}

}  // namespace

TEST_CASE("a thousand random cells of every fixture: the value is the trace's, and the terms give it") {
  for (const char* fixture : {"alibi_causal", "gqa_causal", "qk_layernorm", "s000_masked_mha", "s001_mha", "s001_cross",
                              "s002_v1", "s002_v2", "s002_v3", "s002_v4", "s003_ones", "s003_valid_lens",
                              "s003_valid_lens_per_query", "s004_functional", "torch_mha"}) {
    INFO(fixture);
    check_random_cells(*compute(of_file(std::string(fixture) + ".input.npz")), 1000);
  }
}

TEST_CASE("terms give the value in every variant of the pipeline") {
  std::vector<Scenario> variants(9, everything());
  variants.push_back(every_score_setting());
  variants[1].rope = Rope::interleaved;
  variants[1].qk_norm = QkNorm::none;
  variants[2].rope = Rope::none;
  variants[2].qk_norm = QkNorm::l2;
  variants[3].dead_row = DeadRow::uniform;
  variants[4].dead_row = DeadRow::zero;
  variants[5].dead_row = DeadRow::nan;
  variants[6].fill = -9.0F;
  variants[6].scale = 0.7F;
  variants[7].output_projection = false;
  variants[7].bias = false;
  variants[8] = Scenario{};
  for (const Scenario& scenario : variants) check_random_cells(*compute(scenario), 1000);
}

TEST_CASE("a cell's dependants are exactly the cells that name it as a term") {
  Scenario scenario = everything();
  scenario.queries = scenario.keys = 3;
  scenario.d_model = 8;
  scenario.batch_size = 1;
  const auto trace = compute(scenario);
  Sampler sampler(6, "dependants");
  for (const Stage from : matrices_of(*trace)) {
    const Cell cell = random_cell(*trace, from, sampler);
    const std::vector<Region> regions = dependants(*trace, cell);
    for (const Stage stage : trace->stages()) {
      const Tensor& tensor = (*trace)[stage];
      for (Index h = 0; h < (tensor.rank() == 4 ? tensor.size(1) : 1); ++h) {
        for (Index row = 0; row < tensor.size(-2); ++row) {
          for (Index col = 0; col < tensor.size(-1); ++col) {
            const Cell there{stage, 0, h, row, col};
            const Explanation e = explain(*trace, there);
            const bool named = std::ranges::any_of(e.terms, [&](const Term& term) { return term.cell == cell; });
            const bool found = std::ranges::any_of(regions, [&](const Region& region) { return in(region, there); });
            INFO(name(from) << " " << cell.head << "," << cell.row << "," << cell.col << " → " << name(stage) << " "
                            << h << "," << row << "," << col);
            CHECK(named == found);
          }
        }
      }
    }
  }
}

TEST_CASE("a cell is named in four numbers or in its stage's own, and out of range says the range") {
  const auto trace = compute(everything());
  CHECK(cell_named(*trace, "--cell", "weights:1,3,4,6") == Cell{Stage::weights, 1, 3, 4, 6});
  CHECK(cell_named(*trace, "--cell", "Q:1,0,4,15") == Cell{Stage::Q, 1, 0, 4, 15});
  CHECK(cell_named(*trace, "--cell", "Q:1,4,15") == Cell{Stage::Q, 1, 0, 4, 15});
  CHECK(cell_named(*trace, "--cell", "W_q:15,3") == Cell{Stage::W_q, 0, 0, 15, 3});
  CHECK(cell_named(*trace, "--cell", "b_q:15") == Cell{Stage::b_q, 0, 0, 0, 15});
  for (const char* bad :
       {"", "weights", "weights:", "weights:0,0,0", "weights:0,0,0,0,0", "weight:0,0,0,0", "weights:0,0,0,x",
        "weights:2,0,0,0", "weights:0,4,0,0", "weights:0,0,5,0", "weights:0,0,0,7", "Q:0,1,0,0", "weights:-1,0,0,0"}) {
    INFO(bad);
    CHECK_THROWS_AS(cell_named(*trace, "--cell", bad), SettingError);
  }
  try {
    cell_named(*trace, "--cell", "weights:0,0,9,0");
    FAIL("it was accepted");
  } catch (const SettingError& error) { CHECK(error.sentence() == "row 9 is out of range; expected 0 to 4"); }
}

TEST_CASE("long sums show their largest products, and all others as one term") {
  Inputs inputs = small_inputs({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 2, .n_k = 2, .d_model = 8});
  inputs.b_q = {};
  inputs.query = Tensor({1, 2, 8}, Buffer{0, 0, 3, 0, 0, -2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  inputs.W_q = Tensor::full({8, 8}, 0.5F);
  const Explanation e = explain(*traced(inputs), {Stage::Q, 0, 0, 0, 0});
  CHECK(e.numbers == "3.000·0.500 − 2.000·0.500 + 1.000·0.500 + … (5 more: 0.000) = 1.000");
  CHECK(e.terms.size() == 16);
}

TEST_CASE("markup becomes plain text for a terminal") {
  CHECK(plain_math("s_{2,3} = \\frac{q_{2}·k_{3}}{\\sqrt{d_{head}}}") == "s[2,3] = q_2·k_3 / √d_head");
  CHECK(plain_math("\\frac{a + b}{c}") == "(a + b) / c");
  CHECK(plain_math("\\frac{") == " / ");
  CHECK(plain_math("\\in{scores}{s_{2,3}} × 2") == "s[2,3] × 2");
  CHECK(without_stages("\\frac{\\in{Q_heads}{q_{2}}·\\in{K_heads}{k_{3}}}{2}") == "\\frac{q_{2}·k_{3}}{2}");
  CHECK(without_stages("\\in{") == "");
}

TEST_CASE("the case is written before an equation, which ends in the value") {
  Scenario scenario;
  scenario.mask = "causal()";
  scenario.dropout = 0.5F;
  scenario.training = true;
  const auto trace = compute(scenario);
  const auto plain = [&](Stage stage, Index row, Index col) {
    return plain_math(explain(*trace, {stage, 0, 0, row, col}).formula);
  };
  CHECK(plain(Stage::masked_scores, 1, 0) == "m[1,0] = 1: s^masked[1,0] = s^scaled[1,0]");
  CHECK(plain(Stage::masked_scores, 0, 1) == "m[0,1] = 0: s^masked[0,1] = −∞");
  Index dropped = 0;
  for (Index q = 0; q < trace->dims().n_q; ++q) {
    for (Index k = 0; k <= q; ++k) {
      const Explanation e = explain(*trace, {Stage::dropped_weights, 0, 0, q, k});
      CHECK(e.says_value == e.formula.starts_with("dropped: "));
      dropped += e.says_value ? 1 : 0;
    }
  }
  CHECK(dropped > 0);
}

TEST_CASE("a painted cell of the mask is explained by the painting, the others by the expression") {
  Scenario scenario;
  scenario.mask = "causal()";
  scenario.painted = {{-1, 1, 0, 5, true, 1, 1}};
  const auto trace = compute(scenario);
  CHECK(explain(*trace, {Stage::mask, 0, 1, 0, 5}).formula.ends_with(" = painted()"));
  CHECK(explain(*trace, {Stage::mask, 0, 0, 0, 5}).formula.ends_with(" = causal()"));
  CHECK(explain(*trace, {Stage::mask, 0, 1, 0, 4}).formula.ends_with(" = causal()"));
}

TEST_CASE("every cell is explained also where values have a head size of their own or inputs are latents") {
  for (const char* model : {"deepseek_v2", "deepseek_v3"}) {
    Scenario scenario = of_file(std::string("networks/") + model);
    scenario.text = "3 17 5 28";
    scenario.layer = "1";
    const auto trace = compute_any(scenario);
    CHECK((*trace)[Stage::V_heads].size(3) != (*trace)[Stage::Q_heads].size(3));
    check_random_cells(*trace, 80);
  }
}

TEST_CASE("a biased score of DeBERTa is explained by content-to-content, c2p and p2c, each PyTorch's") {
  const auto expected = open_arrays(samples::fixture("networks/deberta2") / "expected.npz");
  for (const char* layer : {"0", "1"}) {
    Scenario scenario;
    scenario.source = Source::file;
    scenario.file = samples::fixture("networks/deberta2").string();
    scenario.layer = layer;
    scenario.text_as_input = true;
    scenario.text = "3 17 5 28 0 11 5\n9 2 2 26 14 7 21";
    const auto trace = compute_any(scenario);
    const Tensor c2p = expected->load(std::string("c2p.") + layer), p2c = expected->load(std::string("p2c.") + layer);
    for (const auto& [row, col] : {std::pair<Index, Index>{0, 6}, {3, 3}, {5, 1}}) {
      const Explanation e = explain(*trace, {Stage::biased_scores, 1, 2, row, col});
      REQUIRE(e.quantity("c2p"));
      CHECK(e.quantity("c2p")->value == Approx(c2p.at({1, 2, row, col})).margin(1e-5));
      CHECK(e.quantity("p2c")->value == Approx(p2c.at({1, 2, row, col})).margin(1e-5));
      CHECK_FALSE(e.quantity("bias"));
      CHECK(recomputed(e) == Approx(e.value).margin(1e-5));
      CHECK(e.formula.find("c2p_{" + std::to_string(row)) != std::string::npos);
    }
    scenario.attn_bias = GivenMatrix{Tensor::full({7, 7}, 0.5F)};
    const Explanation given = explain(*compute_any(scenario), {Stage::biased_scores, 1, 2, 0, 1});
    CHECK(given.quantity("bias")->value == 0.5);
    CHECK_FALSE(given.quantity("c2p"));
  }
}
