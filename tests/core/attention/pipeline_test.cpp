#include "core/compute/run/pipeline.h"

#include <algorithm>
#include <numeric>

#include "core/scenario/inputs/inputs.h"
#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

// The rows of x [B, n, d] in the given order.
Tensor reordered(const Tensor& x, const std::vector<Index>& order) {
  Buffer values;
  for (Index b = 0; b < x.size(0); ++b) {
    for (const Index row : order) {
      for (Index col = 0; col < x.size(2); ++col) values.push_back(x.at({b, row, col}));
    }
  }
  return Tensor(x.shape(), std::move(values));
}

Inputs with_input(Inputs inputs, const Tensor& x) {
  inputs.query = inputs.key = inputs.value = x;
  return inputs;
}

Tensor causal(Index n_q, Index n_k) {
  Buffer values;
  for (Index q = 0; q < n_q; ++q) {
    for (Index k = 0; k < n_k; ++k) values.push_back(k <= q ? 1 : 0);
  }
  return Tensor({n_q, n_k}, std::move(values));
}

// Repeats each group of d_head rows `times` times.
Tensor repeated(const Tensor& weight, Index d_head, Index times) {
  const Index width = weight.rank() == 2 ? weight.size(1) : 1;
  Buffer values;
  for (Index row = 0; row < weight.size(0) * times; ++row) {
    const Index from = row / (d_head * times) * d_head + row % d_head;
    for (Index col = 0; col < width; ++col)
      values.push_back(weight.rank() == 2 ? weight.at({from, col}) : weight.at({from}));
  }
  Shape shape = weight.shape();
  shape[0] *= times;
  return Tensor(std::move(shape), std::move(values));
}

double row_sum(const Tensor& t, Index b, Index h, Index q) {
  double sum = 0;
  for (Index k = 0; k < t.size(3); ++k) sum += static_cast<double>(t.at({b, h, q, k}));
  return sum;
}

}  // namespace

TEST_CASE("self- and cross-attention agree with plain float64 loops", "[attention]") {
  for (const Sizes& sizes :
       {Sizes{}, Sizes{.batch = 3, .heads = 2, .kv_heads = 1, .n_q = 3, .n_k = 7, .d_model = 8, .self = false},
        Sizes{.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 150, .n_k = 150, .d_model = 32},
        Sizes{.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 1, .n_k = 1, .d_model = 1}}) {
    const Inputs inputs = small_inputs(sizes);
    CHECK_THAT((*traced(inputs))[Stage::output], agrees_with(naive_attention(inputs)));
  }
}

TEST_CASE("every stage has the shape of its axes", "[attention]") {
  Scenario scenario;
  scenario.rope = Rope::half;
  scenario.qk_norm = QkNorm::rms;
  scenario.softcap = 5.0F;
  scenario.alibi = scenario.training = true;
  scenario.dropout = 0.5F;
  Inputs inputs = small_inputs({.kv_heads = 2, .n_q = 3, .n_k = 6, .self = false});
  inputs.file_mask = causal(3, 6);
  for (const bool scale_first : {false, true}) {
    scenario.scale_first = scale_first;
    const auto trace = traced(inputs, scenario);
    CHECK(trace->stages().size() == stage_count - 1);  // Q_scaled and scaled_scores exclude each other
    for (const Stage stage : trace->stages()) {
      const StageInfo& about = info(stage);
      Shape expected;
      for (const Axis axis : {about.lead[0], about.lead[1], about.rows, about.cols}) {
        if (axis != Axis::none) expected.push_back(trace->dims().size(axis));
      }
      CHECK((*trace)[stage].shape() == expected);
    }
  }
}

TEST_CASE("without a mask the masked scores are the scores, and there is no mask", "[attention]") {
  const auto trace = traced(small_inputs());
  CHECK_FALSE(trace->has(Stage::mask));
  CHECK(identical((*trace)[Stage::masked_scores], (*trace)[Stage::scaled_scores]));
}

TEST_CASE("splitting and merging heads moves no number in the pipeline", "[attention]") {
  const auto trace = traced(small_inputs());
  CHECK((*trace)[Stage::Q_heads].matrix(1, 2).data == (*trace)[Stage::Q].matrix(1).data + 2 * 4);
  CHECK((*trace)[Stage::concat].matrix(1).data == (*trace)[Stage::head_outputs].matrix(1, 0).data);
}

TEST_CASE("without an output projection the output is the concatenation", "[attention]") {
  Inputs inputs = small_inputs();
  inputs.W_o = inputs.b_o = Tensor();
  const auto trace = traced(inputs);
  CHECK(identical((*trace)[Stage::output], (*trace)[Stage::concat]));
}

TEST_CASE("permuting tokens permutes outputs, until positions tell them apart", "[attention]") {
  const std::vector<Index> order{3, 0, 4, 1, 2};
  const Inputs inputs = small_inputs(), permuted = with_input(inputs, reordered(inputs.query, order));
  const auto outputs_permute = [&](const Scenario& scenario) {
    const Tensor expected = reordered((*traced(inputs, scenario))[Stage::output], order);
    return agrees_with(expected).match((*traced(permuted, scenario))[Stage::output]);
  };
  CHECK(outputs_permute({}));
  Scenario with_rope, with_alibi, with_t5;
  with_rope.rope = Rope::interleaved;
  with_alibi.alibi = true;
  with_t5.t5_bias = true;
  CHECK_FALSE(outputs_permute(with_rope));
  CHECK_FALSE(outputs_permute(with_alibi));
  CHECK_FALSE(outputs_permute(with_t5));
}

TEST_CASE("a causal output does not change when later tokens do", "[attention]") {
  Inputs inputs = small_inputs();
  inputs.file_mask = causal(5, 5);
  const Tensor before = (*traced(inputs))[Stage::output];
  Buffer values(inputs.query.values().begin(), inputs.query.values().end());
  for (Index b = 0; b < 2; ++b) {
    for (Index i = 3 * 16; i < 5 * 16; ++i) values[static_cast<std::size_t>(b * 5 * 16 + i)] += 1;
  }
  const Tensor after = (*traced(with_input(inputs, Tensor(inputs.query.shape(), std::move(values)))))[Stage::output];
  CHECK_THAT(after.slice(1, 0, 3), agrees_with(before.slice(1, 0, 3)));
  CHECK_THAT(after.slice(1, 3, 2), !agrees_with(before.slice(1, 3, 2)));
}

TEST_CASE("the weights of a live row sum to one, and none goes where the mask forbids", "[attention]") {
  Inputs inputs = small_inputs();
  inputs.file_mask = causal(5, 5);
  const auto trace = traced(inputs);
  for (Index q = 0; q < 5; ++q) {
    CHECK(std::abs(row_sum((*trace)[Stage::weights], 1, 3, q) - 1) < 1e-6);
    for (Index k = q + 1; k < 5; ++k) CHECK((*trace)[Stage::weights].at({1, 3, q, k}) == 0);
  }
}

TEST_CASE("a dead row is NaN with -inf and uniform with -1e9", "[attention]") {
  Inputs inputs = small_inputs();
  inputs.valid_lens = Tensor::of({2}, {2, 0});
  const auto with_inf = traced(inputs);
  CHECK(std::isnan((*with_inf)[Stage::output].at({1, 0, 0})));
  CHECK_FALSE(std::isnan((*with_inf)[Stage::output].at({0, 0, 0})));
  CHECK((*with_inf)[Stage::masked_scores].at({0, 0, 0, 2}) == -std::numeric_limits<float>::infinity());
  inputs.fill = -1e9F;
  CHECK(agrees((*traced(inputs))[Stage::weights].at({1, 0, 0, 4}), 0.2F));
  Scenario scenario;
  scenario.fill = -1e6F;
  CHECK(traced(inputs, scenario)->fill == -1e6F);
}

TEST_CASE("grouped heads equal multi-head attention with each key and value head repeated", "[attention]") {
  const Inputs grouped = small_inputs({.heads = 4, .kv_heads = 2});
  Inputs full = grouped;
  full.dims.kv_heads = 4;
  for (Tensor Inputs::*p : {&Inputs::W_k, &Inputs::W_v, &Inputs::b_k, &Inputs::b_v})
    full.*p = repeated(grouped.*p, 4, 2);
  CHECK_THAT((*traced(grouped))[Stage::output], agrees_with((*traced(full))[Stage::output]));
}

TEST_CASE("query head h looks at key head floor(h / (H/G)), not h mod G", "[attention]") {
  const auto trace = traced(small_inputs({.heads = 4, .kv_heads = 2}));
  const MatrixView query = (*trace)[Stage::Q_heads].matrix(0, 1), key = (*trace)[Stage::K_heads].matrix(0, 0);
  float score = 0;
  for (Index i = 0; i < 4; ++i) score += query(2, i) * key(3, i);
  CHECK(agrees((*trace)[Stage::scores].at({0, 1, 2, 3}), score));
}

TEST_CASE("queries that are scaled before the product give the scores that scaling after it gives", "[attention]") {
  Scenario after, before;
  after.scale = before.scale = 0.25F;
  before.scale_first = true;
  const auto a = traced(small_inputs(), after), b = traced(small_inputs(), before);
  CHECK_FALSE(b->has(Stage::scaled_scores));
  CHECK_THAT((*b)[Stage::scores], agrees_with((*a)[Stage::scaled_scores]));
  CHECK_THAT((*b)[Stage::output], agrees_with((*a)[Stage::output]));
}

TEST_CASE("scores that overflow float32 stay finite where queries are scaled before the product", "[attention]") {
  Inputs inputs;
  inputs.dims = {.heads = 1, .kv_heads = 1, .n_q = 1, .n_k = 1, .d_model = 4, .d_head = 4};
  inputs.Q_heads = Tensor::of({1, 1, 1, 4}, {1e19F, 1e19F, 1e19F, 1e19F});
  inputs.K_heads = inputs.V_heads = Tensor::of({1, 1, 1, 4}, {1e19F, 1e19F, 1e19F, 1e19F});
  Scenario scenario;
  CHECK(std::isinf((*traced(inputs, scenario))[Stage::scores].at({0, 0, 0, 0})));
  scenario.scale_first = true;
  CHECK((*traced(inputs, scenario))[Stage::scores].at({0, 0, 0, 0}) == Approx(2e38F));
}

TEST_CASE("the scale is one over the root of d_head unless set", "[attention]") {
  CHECK(traced(small_inputs())->scale == 0.5F);
  Scenario scenario;
  scenario.scale = 3.0F;
  const auto trace = traced(small_inputs(), scenario);
  CHECK((*trace)[Stage::scaled_scores].at({0, 0, 1, 2}) == 3 * (*trace)[Stage::scores].at({0, 0, 1, 2}));
}

TEST_CASE("QK-norm adds stages of its own; a rotated stage exists only with RoPE", "[attention]") {
  Scenario scenario;
  CHECK_FALSE(traced(small_inputs(), scenario)->has(Stage::Q_normed));
  scenario.qk_norm = QkNorm::l2;
  const auto trace = traced(small_inputs(), scenario);
  CHECK(trace->has(Stage::K_normed));
  CHECK_FALSE(trace->has(Stage::Q_rotated));
  CHECK_FALSE(identical((*trace)[Stage::Q_heads], (*trace)[Stage::Q_normed]));
  for (Index q = 0; q < 5; ++q) CHECK(std::abs((*trace)[Stage::scores].at({0, 0, q, q})) <= 1.00001F);
  scenario.rope = Rope::half;
  const auto both = traced(small_inputs(), scenario);
  CHECK_THAT((*both)[Stage::K_normed], agrees_with((*trace)[Stage::K_normed]));
  CHECK_THAT((*both)[Stage::K_rotated], !agrees_with((*both)[Stage::K_normed]));
  scenario.qk_norm = QkNorm::none;
  CHECK_FALSE(traced(small_inputs(), scenario)->has(Stage::K_normed));
}

TEST_CASE(
    "a model's learned QK-norm: per head, or over all heads together; another kind that is asked for is not the "
    "model's",
    "[attention]") {
  Inputs inputs = small_inputs();  // 4 heads of 4
  Scenario scenario;
  scenario.qk_norm = QkNorm::rms;
  Rules own;
  own.q_norm = Tensor::of({4}, {1, 2, 3, 4});
  own.k_norm = Tensor::of({4}, {1, 1, 1, 1});
  own.qk_epsilon = 0.5;
  inputs.rules = own;
  const auto per_head = traced(inputs, scenario);
  const auto expected = [&](const Trace& trace, Index first, Index end, float gain) {
    double squares = 0;
    for (Index h = first; h < end; ++h) {
      for (Index i = 0; i < 4; ++i) squares += std::pow(static_cast<double>(trace[Stage::Q_heads].at({1, h, 2, i})), 2);
    }
    const double mean = squares / static_cast<double>(4 * (end - first));
    return static_cast<float>(static_cast<double>(trace[Stage::Q_heads].at({1, 3, 2, 1})) / std::sqrt(mean + 0.5)) *
           gain;
  };
  CHECK(agrees((*per_head)[Stage::Q_normed].at({1, 3, 2, 1}), expected(*per_head, 3, 4, 2)));
  Buffer gains(16, 1.0F);
  gains[13] = 5;
  own.q_norm = own.k_norm = Tensor({16}, std::move(gains));
  own.norm_over_heads = true;
  inputs.rules = own;
  const auto whole = traced(inputs, scenario);
  CHECK(agrees((*whole)[Stage::Q_normed].at({1, 3, 2, 1}), expected(*whole, 0, 4, 5)));
  scenario.qk_norm = QkNorm::l2;
  double squares = 0;
  for (Index i = 0; i < 4; ++i)
    squares += std::pow(static_cast<double>((*traced(inputs, scenario))[Stage::Q_normed].at({1, 3, 2, i})), 2);
  CHECK(agrees(static_cast<float>(squares), 1.0F));
}

TEST_CASE("a score-shaped stage computed alone equals the same stage of a whole run", "[attention]") {
  for (const char* mask : {"", "causal()"}) {
    Scenario scenario;
    scenario.mask = mask;
    scenario.softcap = 2.0F;
    const auto all = traced(small_inputs(), scenario);
    for (const Stage stage : all_stages()) {
      if (info(stage).rows != Axis::query || info(stage).cols != Axis::key || !all->has(stage)) continue;
      Run run;
      run.last = stage;
      run.scores_kept = {stage};
      const auto alone = compute(all->scenario, small_inputs(), nullptr, run);
      INFO(mask << " " << name(stage));
      REQUIRE(alone->has(stage));
      CHECK(std::ranges::equal((*alone)[stage].contiguous().values(), (*all)[stage].contiguous().values()));
      CHECK((stage == Stage::scores || !alone->has(Stage::scores)));
    }
  }
}

TEST_CASE("with a sink logit the rows sum to less than one", "[attention]") {
  Scenario scenario;
  scenario.sink_logit = true;
  const auto trace = traced(small_inputs(), scenario);
  REQUIRE(trace->sink_logits.shape() == Shape{4});
  for (Index h = 0; h < 4; ++h) CHECK(row_sum((*trace)[Stage::weights], 0, h, 0) < 0.9999);
}

TEST_CASE("dropout acts in training only, and not with p = 0", "[attention]") {
  Scenario scenario;
  scenario.dropout = 0.5F;
  CHECK_FALSE(traced(small_inputs(), scenario)->has(Stage::dropped_weights));
  scenario.training = true;
  const auto trace = traced(small_inputs(), scenario);
  REQUIRE(trace->has(Stage::dropped_weights));
  CHECK(trace->dropout_keep.shape() == Shape{2, 4, 5, 5});
  CHECK_THAT((*trace)[Stage::output], !agrees_with((*traced(small_inputs()))[Stage::output]));
  scenario.dropout = 0;
  CHECK_THAT((*traced(small_inputs(), scenario))[Stage::output], agrees_with((*traced(small_inputs()))[Stage::output]));
}

TEST_CASE("NaN in a value reaches every output that its key can reach, even with no weight", "[attention]") {
  Inputs inputs = small_inputs({.self = false});
  Buffer values(inputs.value.values().begin(), inputs.value.values().end());
  values.back() = std::numeric_limits<float>::quiet_NaN();
  inputs.value = Tensor(inputs.value.shape(), std::move(values));
  inputs.file_mask = causal(5, 5);
  const Tensor output = (*traced(inputs))[Stage::output];
  CHECK(std::isnan(output.at({1, 0, 0})));
  CHECK_FALSE(std::isnan(output.at({0, 0, 0})));
}
