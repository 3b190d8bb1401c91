// Diagnosis of several mistakes at once and of faults that are no known mistake. tests/app/diagnosis.py tests each
// mistake by itself.
#include "core/teaching/diagnosis/diagnosis.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <thread>

#include "core/base/parallel/worker.h"
#include "core/base/tensor/error.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/softmax.h"
#include "core/compute/attention/sweep.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "tests/core/diagnosis/own.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

std::shared_ptr<const Trace> causal_run() {
  Scenario scenario;
  scenario.mask = "causal()";
  return compute(scenario);  // 6 tokens, 4 heads
}

std::vector<NamedArray> arrays_of(const Trace& trace) {
  std::vector<NamedArray> arrays;
  for (const Stage stage : trace.stages())
    arrays.push_back({std::string(name(stage)), trace[stage], stage == Stage::mask});
  return arrays;
}

void replace(std::vector<NamedArray>& arrays, Stage stage, Tensor values) {
  std::ranges::find(arrays, name(stage), &NamedArray::name)->values = std::move(values);
}

/// Replaces the weights and recomputes every stage after them.
void replace_from_weights(std::vector<NamedArray>& arrays, const Trace& trace, const Tensor& weights) {
  const Tensor heads = gather_values(weights, trace[Stage::V_heads]);
  replace(arrays, Stage::weights, weights);
  replace(arrays, Stage::head_outputs, heads);
  replace(arrays, Stage::concat, merge_heads(heads));
  replace(arrays, Stage::output, project(merge_heads(heads), trace[Stage::W_o], trace[Stage::b_o]));
}

std::vector<std::string> ids_of(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) ids.push_back(finding.id);
  return ids;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("agreement is PyTorch's within a tolerance, with NaN and infinities in the same places") {
  for (const auto& [a, b] :
       {std::pair(1.0F, 1.0001F), std::pair(1.0F, 1.0003F), std::pair(0.0F, 9e-6F), std::pair(0.0F, 2e-5F),
        std::pair(-INFINITY, -INFINITY), std::pair(-INFINITY, -1e9F), std::pair(NAN, NAN), std::pair(NAN, 1.0F)}) {
    CAPTURE(a, b);
    CHECK(agree(a, b) == agrees(a, b));
  }
  const Agreement found = agreement(Tensor::of({2, 2}, {0, 1, 5, 3}), Tensor::of({2, 2}, {0, 1, 2, 3}));
  CHECK_FALSE(found.agrees);
  CHECK(found.largest == 3);
  CHECK(found.at == Shape{1, 0});
  CHECK(std::isinf(agreement(Tensor::of({1}, {NAN}), Tensor::of({1}, {0})).largest));
}

TEST_CASE("the table of mistakes has each id of the manual; only the ids of kinds have several rows") {
  std::set<std::string> ids, twice;
  for (const Mistake& mistake : all_mistakes()) {
    if (!ids.insert(mistake.id).second) twice.insert(mistake.id);
  }
  INFO("a new id changes the number here");
  CHECK(ids.size() == 50);
  CHECK(twice == std::set<std::string>{"attention_over_batch", "keys_reordered", "mask_inverted", "mask_wrong",
                                       "split_interleaved", "step_missing", "wrong_input", "wrong_order",
                                       "wrong_parameter"});
}

TEST_CASE("the code that an explanation suggests has no words, so every language can show it") {
  const auto trace = causal_run();
  const OwnStages own = own_stages(*trace, arrays_of(*trace));
  int lines = 0;
  for (const Mistake& mistake : all_mistakes()) {
    for (const Variant& variant : mistake.variants({*trace, own})) {
      INFO(mistake.id << " has a variant without an explanation");
      CHECK_FALSE(variant.explanation.empty());
      const std::size_t at = variant.explanation.rfind("Write ");
      if (at == std::string::npos) continue;
      ++lines;
      const std::string line = variant.explanation.substr(at);
      CAPTURE(mistake.id, line);
      for (const char* word : {" or ", " and ", " for ", " with ", " without ", "such as", "which", ". "})
        CHECK(line.find(word) == std::string::npos);
    }
  }
  CHECK(lines >= 20);
}

TEST_CASE("correct numbers match and no mistake is diagnosed") {
  const auto trace = causal_run();
  const OwnStages own = own_stages(*trace, arrays_of(*trace));
  const Comparison comparison = compared(trace, own);
  CHECK(comparison.matches());
  CHECK(comparison.wrongs.empty());
}

TEST_CASE("two mistakes are found one after the other") {
  const auto trace = causal_run();
  std::vector<NamedArray> arrays = arrays_of(*trace);
  const Tensor masked = apply_mask((*trace)[Stage::scores], (*trace)[Stage::mask], {-INFINITY});
  replace(arrays, Stage::scaled_scores, (*trace)[Stage::scores]);
  replace(arrays, Stage::masked_scores, masked);
  replace_from_weights(arrays, *trace, softmax(masked));
  replace(arrays, Stage::output, std::ranges::find(arrays, "concat", &NamedArray::name)->values);
  const OwnStages own = own_stages(*trace, arrays);
  const Comparison comparison = compared(trace, own);
  CHECK(comparison.first_difference()->stage == Stage::scaled_scores);
  REQUIRE(comparison.wrongs.size() == 2);
  CHECK(ids_of(comparison.wrongs[0].findings) == Ids{"no_scale"});
  CHECK(comparison.wrongs[1].stage == Stage::output);
  CHECK(ids_of(comparison.wrongs[1].findings) == Ids{"no_output_projection"});
}

TEST_CASE("a known mistake after an unknown one is found") {
  const auto trace = causal_run();
  std::vector<NamedArray> arrays = arrays_of(*trace);
  replace_from_weights(arrays, *trace, each((*trace)[Stage::weights], [](float w) { return w * (1.5F - w); }));
  const Tensor heads = std::ranges::find(arrays, "head_outputs", &NamedArray::name)->values;
  const Tensor merged = heads.view({1, 6, 16});
  replace(arrays, Stage::concat, merged);
  replace(arrays, Stage::output, project(merged, (*trace)[Stage::W_o], (*trace)[Stage::b_o]));
  const OwnStages own = own_stages(*trace, arrays);
  const Comparison comparison = compared(trace, own);
  REQUIRE(comparison.wrongs.size() == 2);
  CHECK(comparison.wrongs[0].stage == Stage::weights);
  CHECK(comparison.wrongs[0].findings.empty());
  CHECK(ids_of(comparison.diagnosis()) == Ids{"merge_without_transpose"});
}

TEST_CASE("numbers that no known mistake gives have no diagnosis") {
  const auto trace = causal_run();
  for (const Stage stage : {Stage::Q, Stage::weights, Stage::output}) {
    const OwnStages own =
        own_stages(*trace, {{std::string(name(stage)), each((*trace)[stage], [](float v) { return std::cos(v); })}});
    const Comparison comparison = compared(trace, own);
    CHECK_FALSE(comparison.matches());
    CHECK(comparison.diagnosis().empty());
  }
}

TEST_CASE("a stage that was only saved wrongly is told apart from one whose wrong numbers were used") {
  const auto trace = causal_run();
  std::vector<NamedArray> arrays = arrays_of(*trace);
  replace(arrays, Stage::K, each((*trace)[Stage::K], [](float v) { return v + 1; }));
  const OwnStages own = own_stages(*trace, arrays);
  const Comparison comparison = compared(trace, own);
  REQUIRE(comparison.wrongs.size() == 1);
  CHECK(comparison.wrongs[0].aside);

  std::vector<NamedArray> inverted = arrays_of(*trace);
  replace(inverted, Stage::mask, each((*trace)[Stage::mask], [](float v) { return 1 - v; }));
  const OwnStages own_mask = own_stages(*trace, inverted);
  CHECK(ids_of(compared(trace, own_mask).diagnosis()) == Ids{"mask_inverted"});
}

TEST_CASE("a large finite fill alone is a note and no difference") {
  const auto trace = causal_run();
  const Tensor filled = each((*trace)[Stage::masked_scores], [](float v) { return std::isinf(v) ? -1e9F : v; });
  std::vector<NamedArray> arrays = arrays_of(*trace);
  replace(arrays, Stage::masked_scores, filled);
  for (const auto& saved : {arrays, std::vector<NamedArray>{{"masked_scores", filled}}}) {
    const OwnStages own = own_stages(*trace, saved);
    const Comparison comparison = compared(trace, own);
    CHECK(comparison.matches());
    CHECK(ids_of(comparison.diagnosis()) == Ids{"mask_finite_fill"});
  }
  for (const float fill : {-9.0F, -100.0F}) {  // their weights are seen, or would be beside lower scores
    replace(arrays, Stage::masked_scores,
            each((*trace)[Stage::masked_scores], [fill](float v) { return std::isinf(v) ? fill : v; }));
    const OwnStages own = own_stages(*trace, arrays);
    const Comparison comparison = compared(trace, own);
    REQUIRE(comparison.first_difference());
    CHECK(comparison.first_difference()->stage == Stage::masked_scores);
    CHECK(ids_of(comparison.diagnosis()) == Ids{"mask_finite_fill"});
  }
}

TEST_CASE("an output of nothing but NaN names no mistake, and a pair of mistakes neither") {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.queries = 4;
  scenario.keys = 7;
  scenario.mask = "causal()";  // the last keys are hidden from all: over the queries, their softmax is NaN
  const auto trace = compute(scenario);
  const OwnStages mistaken = mistaken_stages("softmax_over_queries", 0, trace, {});
  const Tensor& output = mistaken.find(Stage::output)->values;
  REQUIRE(std::isnan(output.contiguous().values()[0]));
  const OwnStages own = own_stages(*trace, {{"output", output}});
  CHECK(compared(trace, own).diagnosis().empty());
}

TEST_CASE("a large finite fill is harmless and comes after the mistake itself") {
  const auto trace = causal_run();
  std::vector<NamedArray> arrays = arrays_of(*trace);
  replace(arrays, Stage::masked_scores,
          each((*trace)[Stage::masked_scores], [](float v) { return std::isinf(v) ? -1e9F : v; }));
  replace(arrays, Stage::output, (*trace)[Stage::concat]);
  const OwnStages own = own_stages(*trace, arrays);
  const Comparison comparison = compared(trace, own);
  CHECK(comparison.first_difference()->stage == Stage::output);
  CHECK(ids_of(comparison.diagnosis()) == Ids{"no_output_projection", "mask_finite_fill"});
}

TEST_CASE("a mistake is found in code whose rows without any key are uniform where the run's are NaN") {
  Scenario scenario;
  scenario.mask = "causal()";
  Scenario theirs = scenario;
  theirs.mask = "!causal()";  // the last query has no key
  theirs.fill = -1e9F;
  const auto trace = compute(scenario);
  const OwnStages own = own_stages(*trace, {{"output", (*compute(theirs))[Stage::output]}});
  CHECK(ids_of(compared(trace, own).diagnosis()) == Ids{"mask_inverted"});
}

TEST_CASE("a mask that came as an additive bias is ignored, inverted and causal like any other") {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.queries = 4;
  Buffer bias;
  for (int q = 0; q < 4; ++q) {
    for (int k = 0; k < 4; ++k) bias.push_back(k <= q ? 0 : -INFINITY);
  }
  scenario.attn_bias = GivenMatrix{Tensor({4, 4}, std::move(bias))};
  Scenario open = scenario, shifted = scenario;
  open.attn_bias.reset();
  shifted.attn_bias.reset();
  shifted.mask = "k < q";
  const auto trace = compute(scenario);
  for (const auto& [theirs, id] : {std::pair(open, "mask_ignored"), std::pair(shifted, "causal_excludes_self")}) {
    const auto wrong = compute(theirs);
    const OwnStages own =
        own_stages(*trace, {{"weights", (*wrong)[Stage::weights]}, {"output", (*wrong)[Stage::output]}});
    CHECK(ids_of(compared(trace, own).diagnosis()) == Ids{id});
  }
}

TEST_CASE("a causal mask at the wrong corner is found where an entry is padded and another is not") {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.batch_size = 2;
  scenario.queries = 4;
  scenario.keys = 7;
  scenario.mask = "k <= q && (b == 0 || k < 2)";  // without a call of causal(), like a mask from a file
  Scenario theirs = scenario;
  theirs.mask = "k <= q + 3 && (b == 0 || k < 2)";
  const auto trace = compute(scenario), wrong = compute(theirs);
  const OwnStages own =
      own_stages(*trace, {{"weights", (*wrong)[Stage::weights]}, {"output", (*wrong)[Stage::output]}});
  CHECK(ids_of(compared(trace, own).diagnosis()) == Ids{"causal_wrong_corner"});
}

TEST_CASE("swapped queries and keys are recognised by the shape of the scores") {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.queries = 3;
  scenario.keys = 5;
  const auto trace = compute(scenario);
  const OwnStages own = own_stages(*trace, {{"scores", (*trace)[Stage::scores].transpose(2, 3).contiguous()}});
  CHECK(ids_of(compared(trace, own).diagnosis()) == Ids{"query_key_swapped"});
}

namespace {

/// A run without a mask, for comparisons where the user did not give theirs.
std::shared_ptr<const Trace> unmasked_run() { return compute(Scenario{}); }

std::vector<NamedArray> only(const Trace& trace, std::initializer_list<Stage> stages) {
  std::vector<NamedArray> arrays;
  for (const Stage stage : stages) arrays.push_back({std::string(name(stage)), trace[stage], stage == Stage::mask});
  return arrays;
}

}  // namespace

TEST_CASE("a correct computation under a mask that was not given has no mistake, and is not called right") {
  const auto trace = unmasked_run(), theirs = causal_run();
  for (const auto& saved : {only(*theirs, {Stage::mask, Stage::weights}), only(*theirs, {Stage::masked_scores}),
                            only(*theirs, {Stage::weights}), only(*theirs, {Stage::output}), arrays_of(*theirs)}) {
    const OwnStages own = own_stages(*trace, saved);
    const Comparison comparison = compared(trace, own);
    REQUIRE(comparison.assumed);
    CHECK(comparison.assumed->settings == "--mask \"causal()\"");
    CHECK(comparison.agrees());
    CHECK_FALSE(comparison.matches());
    CHECK(comparison.diagnosis().empty());
  }
}

TEST_CASE("a mistake is found under a mask that was not given") {
  Scenario theirs;
  theirs.mask = "causal() && window(3)";
  theirs.scale = 1.0F;
  const auto trace = unmasked_run(), wrong = compute(theirs);
  const OwnStages own = own_stages(*trace, only(*wrong, {Stage::weights, Stage::output}));
  const Comparison comparison = compared(trace, own);
  REQUIRE(comparison.assumed);
  CHECK(comparison.assumed->settings == "--mask \"causal() && window(3)\"");
  CHECK(ids_of(comparison.diagnosis()) == Ids{"no_scale"});
}

TEST_CASE("cells that dropout zeroed are not taken for masked ones") {
  Scenario training;
  training.dropout = 0.4F;
  training.training = true;
  const auto trace = unmasked_run(), theirs = compute(training);
  std::vector<NamedArray> arrays = only(*theirs, {Stage::output});
  arrays.push_back({"weights", (*theirs)[Stage::dropped_weights]});
  const OwnStages own = own_stages(*trace, arrays);
  const Comparison comparison = compared(trace, own);
  CHECK_FALSE(comparison.assumed);
  CHECK(ids_of(comparison.diagnosis()) == Ids{"dropout_active"});
}

TEST_CASE("weights that are all divided by 1 - p are dropout without a zero, or a constant factor") {
  const auto trace = causal_run();
  const auto times = [&](float factor) {
    const Tensor weights = each((*trace)[Stage::weights], [&](float v) { return v * factor; });
    return own_stages(*trace, {{"weights", weights}});
  };
  CHECK(ids_of(compared(trace, times(1 / 0.9F)).diagnosis()) == Ids{"dropout_active", "constant_factor"});
  CHECK(ids_of(compared(trace, times(1.07F)).diagnosis()) == Ids{"constant_factor"});
}

TEST_CASE("a wrong division is told beside the run's own scale") {
  Scenario right = causal_run()->scenario, theirs = right;
  right.scale = 0.3F;
  const auto trace = compute(right);
  theirs.scale = 1 / static_cast<float>(trace->dims().d_head);
  const Comparison comparison = compared(trace, own_stages(*trace, only(*compute(theirs), {Stage::weights})));
  REQUIRE(ids_of(comparison.diagnosis()).back() == "scale_without_root");
  CHECK(comparison.diagnosis().back().explanation.find("instead of multiplied by 0.3") != std::string::npos);
}

TEST_CASE("two mistakes are found from the output alone") {
  const auto trace = causal_run();
  Scenario theirs = trace->scenario;
  theirs.scale = 1.0F;
  const auto wrong = compute(theirs);
  const OwnStages own = own_stages(*trace, {{"output", (*wrong)[Stage::concat]}});
  Ids ids = ids_of(compared(trace, own).diagnosis());
  std::ranges::sort(ids);
  CHECK(ids == Ids{"no_output_projection", "no_scale"});
}

TEST_CASE("the search ends when its time is up, and says so") {
  const auto trace = causal_run();
  const OwnStages own =
      own_stages(*trace, {{"output", each((*trace)[Stage::output], [](float v) { return std::cos(v); })}});
  const Comparison comparison = compare(trace, own, {}, 0);
  CHECK_FALSE(comparison.complete);
  CHECK(comparison.diagnosis().empty());
  REQUIRE(comparison.wrongs.size() == 1);
  CHECK(std::ranges::count(worth_saving(comparison, comparison.wrongs.front()), Stage::weights) == 1);
}

TEST_CASE("a search that the user stops is not reported as out of time") {
  const auto trace = causal_run();
  const OwnStages own =
      own_stages(*trace, {{"output", each((*trace)[Stage::output], [](float v) { return std::cos(v); })}});
  std::stop_source stop;
  Run run;
  run.stop = stop.get_token();
  std::vector<std::string> tried;
  const auto tell = [&](std::string_view id) {
    tried.emplace_back(id);
    if (tried.size() == 3) stop.request_stop();
  };
  CHECK_THROWS_AS(compare(trace, own, run, 1000, tell), Cancelled);
  CHECK(tried.size() == 3);
}

TEST_CASE("a time limit stops a running search, and one that is not reached changes nothing") {
  {
    const TimeLimit limit(0.01, {});
    while (!limit.token().stop_requested()) std::this_thread::yield();
    CHECK(limit.is_up());
  }
  std::stop_source outer;
  const TimeLimit limit(1000, outer.get_token());
  CHECK_FALSE(limit.token().stop_requested());
  outer.request_stop();
  CHECK(limit.token().stop_requested());
  CHECK_FALSE(limit.is_up());
}

TEST_CASE("less usual mistakes are named too") {
  const auto trace = causal_run();
  const Trace& right = *trace;
  const Tensor bias = right[Stage::b_q];
  Scenario root = right.scenario;
  root.scale = 1.0F / static_cast<float>(right.dims().d_head);
  const auto divided = compute(root);
  std::vector<NamedArray> transposed = only(right, {Stage::head_outputs, Stage::output});
  transposed.push_back({"weights", right[Stage::weights].transpose(2, 3).contiguous()});
  const std::pair<std::vector<NamedArray>, std::string> cases[] = {
      {only(*divided, {Stage::weights, Stage::output}), "scale_without_root"},
      {{{"Q", project(project(right[Stage::query], right[Stage::W_q], bias), {}, bias)}}, "bias_twice"},
      {{{"K", project(right[Stage::key], right[Stage::W_v], right[Stage::b_v])}}, "key_value_swapped"},
      {transposed, "weights_transposed"}};
  for (const auto& [arrays, id] : cases) {
    CAPTURE(id);
    const OwnStages own = own_stages(right, arrays);
    CHECK(ids_of(compared(trace, own).diagnosis()).back() ==
          id);  // √d_model = d_head here: scale_by_d_model fits as well
  }
}

TEST_CASE("numbers that differ by one factor are reported with it, and no second finding repeats it") {
  const auto trace = causal_run();
  const OwnStages own = own_stages(*trace, {{"V", each((*trace)[Stage::V], [](float v) { return v * 1.07F; })}});
  const std::vector<Finding> found = compared(trace, own).diagnosis();
  REQUIRE(ids_of(found) == Ids{"constant_factor"});
  CHECK(found.front().explanation.find("yours = 1.07 × right") != std::string::npos);
  const OwnStages scaled = own_stages(*trace, {{"scaled_scores", (*trace)[Stage::scores]}});
  CHECK(ids_of(compared(trace, scaled).diagnosis()) == Ids{"no_scale"});
}

TEST_CASE("numbers of half precision are reported as rounded, not wrong, and a mistake in them is still found") {
  const auto trace = causal_run();
  const auto rounded = [](const Tensor& t) {
    return each(
        t, [](float v) { return std::bit_cast<float>((std::bit_cast<std::uint32_t>(v) + 0x8000U) & 0xFFFF0000U); });
  };
  const OwnStages own = own_stages(*trace, {{"output", rounded((*trace)[Stage::output])}});
  const Comparison comparison = compared(trace, own);
  CHECK(comparison.matches());
  CHECK(ids_of(comparison.diagnosis()) == Ids{"rounded_bf16"});
  Scenario small;
  small.text = "the cat sat";
  small.mask = "causal()";
  small.heads = 1;
  const auto three = compute(small);  // only five of its weights are neither 0 nor 1
  const OwnStages both =
      own_stages(*three, {{"V", rounded((*three)[Stage::V])}, {"weights", rounded((*three)[Stage::weights])}});
  CHECK(compared(three, both).matches());
  const OwnStages wrong = own_stages(*trace, {{"output", rounded((*trace)[Stage::concat])}});
  CHECK(ids_of(compared(trace, wrong).diagnosis()) == Ids{"no_output_projection"});
}
