// Stages that are computed when they are read, compared with the same stages in memory.
#include <cstdlib>

#include "core/base/tensor/error.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/score_source.h"
#include "core/compute/engine/tile_store.h"
#include "core/compute/run/statistics.h"
#include "core/compute/run/trace.h"
#include "core/rules/mask/mask_rule.h"
#include "core/rules/stage/pool.h"
#include "core/teaching/explain/explain.h"
#include "tests/attention_inputs.h"
#include "tests/environment.h"
#include "tests/matchers.h"
#include "tests/score_settings.h"

using namespace headlight;

namespace {

constexpr Sizes sizes{.batch = 2, .heads = 4, .kv_heads = 2, .n_q = 300, .n_k = 300, .d_model = 48};

/// A run with a memory limit of half a megabyte, so that stages are computed when they are read.
std::shared_ptr<const Trace> traced_on_demand(const Inputs& inputs, const Scenario& scenario) {
  const SetVariable memory("HEADLIGHT_MEMORY", "0.5");
  return compute(scenario, inputs, nullptr, {.summary = Summary::whole, .threads = 2, .stop = {}, .progress = {}});
}

Scenario with_mask(const std::string& mask) {
  Scenario scenario;
  scenario.mask = mask;
  return scenario;
}

}  // namespace

TEST_CASE("a stage computed when it is read has the numbers of one in memory", "[attention]") {
  const Inputs inputs = small_inputs(sizes);
  Scenario rich = every_score_setting();
  rich.mask = "causal() && (window(40) || sink(4))";
  Scenario scaled_before = with_mask("causal()");
  scaled_before.scale_first = true;
  for (const Scenario& scenario : {with_mask("causal() && (window(40) || sink(4))"), with_mask("k > q + 3"),
                                   with_mask("h < 2 ? causal() : random(0.3, 1)"), Scenario{}, rich, scaled_before}) {
    const auto held = traced(inputs, scenario), read = traced_on_demand(inputs, scenario);
    CAPTURE(scenario.mask);
    REQUIRE((*read)[Stage::weights].source());
    CHECK((projected_heads((*read)[Stage::Q_heads]) != nullptr) ==
          (scenario.rope == Rope::none && !scenario.scale_first));
    CHECK(projected_heads((*read)[Stage::V_heads]) != nullptr);
    CHECK(read->stages() == held->stages());
    for (const Stage stage : held->stages()) {
      CAPTURE(name(stage));
      CHECK_THAT((*read)[stage].contiguous(), agrees_with((*held)[stage].contiguous()));
    }
  }
}

TEST_CASE("heads that are projected when they are read have the numbers of a whole projection", "[attention]") {
  const Inputs inputs = small_inputs(sizes);
  const Tensor whole = project(inputs.query, inputs.W_k, inputs.b_k, {});
  const Index heads = sizes.kv_heads, d = inputs.W_k.size(0) / heads;
  auto source = std::make_shared<ProjectedHeads>(inputs.query, inputs.W_k, inputs.b_k, heads, 2);
  const double largest = largest_magnitude(inputs.query, 2);
  CHECK(source->is_finite(largest));
  for (Index b = 0; b < sizes.batch; ++b) {
    for (Index h = 0; h < heads; ++h) {
      const Tensor head = source->head(b, h);
      Index wrong = 0;
      for (Index row = 0; row < sizes.n_k; ++row) {
        for (Index j = 0; j < d; ++j) wrong += head.at({row, j}) != whole.at({b, row, h * d + j});
      }
      CHECK(wrong == 0);
    }
  }
  const Tensor read = project_on_demand(source, whole.shape(), largest);
  CHECK(std::ranges::equal(read.contiguous().values(), whole.values()));
}

TEST_CASE("a stage on demand outlives its trace and does not keep heads after it is gone", "[attention]") {
  Tensor weights = (*traced_on_demand(small_inputs(sizes), with_mask("causal()")))[Stage::weights];
  CHECK(weights.at({0, 0, 0, 0}) == 1);
  weights = {};  // this also frees queries, keys and values, which are on demand too
  CHECK_FALSE(weights.defined());
}

TEST_CASE("a cell that is computed when it is read has the explanation of one in memory", "[attention]") {
  const Inputs inputs = small_inputs(sizes);
  const Scenario scenario = with_mask("causal() && (window(40) || sink(4))");
  const auto held = traced(inputs, scenario), read = traced_on_demand(inputs, scenario);
  for (const Stage stage : {Stage::scores, Stage::masked_scores, Stage::weights, Stage::head_outputs, Stage::output}) {
    CAPTURE(name(stage));
    const Cell cell{stage, 1, has_head_axis(stage) ? 3 : 0, 290, 7};
    const Explanation a = explain(*held, cell), b = explain(*read, cell);
    CHECK(a.formula == b.formula);
    CHECK(a.terms.size() == b.terms.size());
    CHECK(agrees(static_cast<float>(a.value), static_cast<float>(b.value)));
  }
  for (const SoftmaxStep step : {SoftmaxStep::shifted, SoftmaxStep::exponentials})
    CHECK_THAT(softmax_step(*read, 1, 3, step), agrees_with(softmax_step(*held, 1, 3, step)));
}

TEST_CASE("a bound on a projection says before it is computed whether it may overflow", "[attention]") {
  const auto fits = [](const Tensor& x, const Tensor& weight, const Tensor& bias = {}) {
    return ProjectedHeads(x, weight, bias, 2, 1).is_finite(largest_magnitude(x, 2));
  };
  const Tensor x = Tensor::full({1, 4, 8}, -1e20F), weight = Tensor::full({6, 8}, 1e18F);
  CHECK(largest_magnitude(x, 2) == Approx(1e20));
  CHECK_FALSE(fits(x, weight));
  CHECK(fits(x, Tensor::full({6, 8}, 1e10F)));
  for (const float odd :
       {std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    CHECK_FALSE(fits(Tensor::full({1, 4, 8}, odd), Tensor::full({6, 8}, 0)));
    CHECK_FALSE(fits(Tensor::full({1, 4, 8}, 1), Tensor::full({6, 8}, 1), Tensor::full({6}, odd)));
  }
}

TEST_CASE("a stage on demand and the same stage in memory have the same pooled picture", "[attention]") {
  const Inputs inputs = small_inputs(sizes);
  const Scenario scenario = with_mask("causal() && window(40)");
  const auto held = compute(scenario, inputs, nullptr,
                            {.summary = Summary::whole, .threads = 2, .stop = {}, .progress = {}}),
             read = traced_on_demand(inputs, scenario);
  REQUIRE((*read)[Stage::weights].source());
  for (const Stage stage : {Stage::scores, Stage::mask, Stage::masked_scores, Stage::weights}) {
    CAPTURE(name(stage));
    const auto picture = [&](const Trace& trace) {
      return pool(trace[stage].matrix(1, 3), masks_over(trace, stage, 1, 3), 17, 23);
    };
    const PooledMatrix a = picture(*held), b = picture(*read);
    CHECK(a.kinds == b.kinds);
    bool same = true;
    for (std::size_t i = 0; i < a.values.size(); ++i)
      same = same && (a.kinds[i] != CellKind::value || agrees(a.values[i], b.values[i]));
    CHECK(same);
    CHECK(held->summary->kinds(stage, 1, 3) == read->summary->kinds(stage, 1, 3));
  }
}

TEST_CASE("a stage that cannot be computed in parts is stored if memory allows", "[attention]") {
  Scenario scenario = with_mask("causal()");
  scenario.painted.push_back({.batch = -1, .head = -1, .query = 1, .key = 0, .attend = false});
  const Inputs inputs = small_inputs(sizes);
  CHECK_THAT(traced_on_demand(inputs, scenario)->records[static_cast<std::size_t>(Stage::weights)].output,
             agrees_with((*traced(inputs, scenario))[Stage::weights]));  // it fits into memory after all
}

TEST_CASE("where a block's verdict is all or none, every cell of it says so, for every pattern", "[attention]") {
  std::vector<std::string> masks{"causal() && (window(9) || sink(2))",
                                 "h < 1 ? causal() : k % 3 == q % 3",
                                 "!causal() || floor(q / 8) == floor(k / 8)",
                                 "abs(q - k) * 2 < min(n_q, 20)",
                                 "k != q",
                                 "q / (k + 1) > 2"};
  for (const Pattern& pattern : all_patterns()) {
    if (std::string_view(pattern.example).find("padding") == std::string_view::npos)
      masks.emplace_back(pattern.example);
  }
  const MaskContext context{.batch = 1, .heads = 2, .n_q = 40, .n_k = 48, .grid = {6, 7, 2}};
  int decided = 0;
  for (const std::string& text : masks) {
    const MaskExpression expression = MaskExpression::parse(text);
    if (expression.calls("file") || expression.calls("painted")) continue;
    const Tensor cells = evaluate(expression, context).expand({1, 2, 40, 48});
    CAPTURE(text);
    for (Index h = 0; h < 2; ++h) {
      for (Index q = 0; q < 40; q += 8) {
        for (Index k = 0; k < 48; k += 8) {
          const BlockVerdict verdict = block_verdict(expression, context, 0, h, q, q + 8, k, k + 8);
          if (verdict == BlockVerdict::unknown) continue;
          ++decided;
          const MatrixView m = cells.matrix(0, h);
          bool right = true;
          for (Index i = q; i < q + 8; ++i) {
            for (Index j = k; j < k + 8; ++j) right = right && (m(i, j) != 0) == (verdict == BlockVerdict::all);
          }
          CHECK(right);
        }
      }
    }
  }
  CHECK(decided > 500);
}

TEST_CASE("parts of the rows of a mask equal those of the whole mask, for any number of threads", "[attention]") {
  const MaskExpression expression = MaskExpression::parse("causal() && (random(0.4, 3) || k % 7 == h)");
  MaskContext context{.batch = 1, .heads = 3, .n_q = 500, .n_k = 3000};
  const Tensor one = evaluate(expression, context);
  context.threads = 3;
  const Tensor three = evaluate(expression, context);
  CHECK(std::ranges::equal(one.values(), three.values()));
  MaskReader reader(expression, context);
  std::vector<float> part(100);
  for (const Index k : {0, 450, 2900}) {
    reader.read(0, 2, 490, k, 100, part.data());
    for (Index i = 0; i < 100; ++i) CHECK(part[static_cast<std::size_t>(i)] == one.at({0, 2, 490, k + i}));
  }
}

TEST_CASE("tiles of a matrix on demand equal those of one in memory", "[attention]") {
  const Inputs inputs = small_inputs(sizes);
  const Scenario scenario = with_mask("causal() && (window(40) || sink(4))");
  const auto held = traced(inputs, scenario), read = traced_on_demand(inputs, scenario);
  REQUIRE((*read)[Stage::weights].source());
  for (const Stage stage : {Stage::scores, Stage::mask, Stage::masked_scores, Stage::weights}) {
    const auto tiles_of = [stage](const Trace& trace) {
      TiledMatrix matrix;
      matrix.values = trace[stage];
      if (stage != Stage::scores) matrix.mask = trace[Stage::mask];  // the mask itself has no mask
      matrix.batch = 1;
      matrix.head = 2;
      TileStore store;
      store.want(matrix, {1, 0, 1, 0, 1});
      store.wait();
      return store.find({1, 0, 0});
    };
    CAPTURE(name(stage));
    const auto expected = tiles_of(*held), found = tiles_of(*read);
    REQUIRE(expected);
    REQUIRE(found);
    CHECK(found->exact);
    CHECK(found->mask.defined() == expected->mask.defined());
    if (found->mask.defined()) CHECK_THAT(found->mask, agrees_with(expected->mask));
    CHECK_THAT(found->values, agrees_with(expected->values));
  }
}

TEST_CASE("cells of a stage on demand are counted in a part of it, not in all of it", "[attention]") {
  const Inputs inputs = small_inputs(sizes);
  const Scenario scenario = with_mask("causal() && window(40)");
  const auto held = traced(inputs, scenario), read = traced_on_demand(inputs, scenario);
  REQUIRE((*read)[Stage::weights].source());
  for (const Index rows : {Index{20}, Index{290}}) {
    const auto counts = [rows](const Trace& trace) {
      MatrixView part = trace[Stage::weights].matrix(1, 3);
      CellMasks masks = masks_over(trace, Stage::weights, 1, 3);
      part.rows = masks.allowed->rows = rows;
      return count_kinds(part, masks);
    };
    CAPTURE(rows);
    CHECK(counts(*held) == counts(*read));
  }
}
