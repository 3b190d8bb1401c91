#include "core/explain/conventions.h"

#include <algorithm>
#include <cmath>

#include "core/attention/head_outputs.h"
#include "core/attention/heads.h"
#include "core/attention/masking.h"
#include "core/attention/pipeline.h"
#include "core/attention/projection.h"
#include "core/explain/difference.h"
#include "core/mask/expression.h"
#include "core/mask/patterns.h"
#include "core/mask/statistics.h"

namespace headlight {
namespace {

bool has_dead_row(const Trace& trace) {
  const Tensor& mask = trace[Stage::mask];
  for (Index b = 0; b < mask.size(0); ++b) {
    for (Index h = 0; h < mask.size(1); ++h) {
      if (!dead_rows(mask.matrix(b, h)).empty()) return true;
    }
  }
  return false;
}

struct Finder {
  const Trace& trace;
  std::vector<Convention> found{};

  void add(std::string id, const Scenario& scenario) {
    if (scenario == trace.scenario) return;
    const auto other = compute(scenario, &trace);
    Convention choice;
    choice.id = std::move(id);
    choice.scenario = scenario;
    choice.weights = (*other)[Stage::weights];
    choice.mask = (*other)[Stage::mask];
    measure(choice, difference(trace, *other));
    found.push_back(std::move(choice));
  }

  static void measure(Convention& choice, const Difference& change) {
    if (const StageDifference* mask = change.find(Stage::mask)) choice.cells = mask->changed;
    if (const StageDifference* output = change.find(Stage::output)) choice.output_change = output->largest;
    const StageDifference* weights = change.find(Stage::weights);
    if (!weights || !weights->values.defined()) return;
    choice.weights_change = weights->largest;
    const Tensor values = weights->values.contiguous();
    choice.nan_changes = std::ranges::any_of(values.values(), [](float v) { return std::isnan(v); });
  }

  void mask(std::string id, const std::string& expression) {
    Scenario scenario = trace.scenario;
    scenario.mask = expression;
    if (expression != expression_in_force(trace.scenario, trace.inputs)) add(std::move(id), scenario);
  }

  /// Weights of the run without a mask, times the mask: rows that no longer sum to one.
  void after_softmax() {
    Scenario open = trace.scenario;
    open.mask = "full()";
    open.painted.clear();
    const auto unmasked = compute(open, &trace);
    const Tensor weights = apply_mask((*unmasked)[Stage::weights], trace[Stage::mask], 0);
    Trace wrong = *unmasked;
    wrong.records[static_cast<std::size_t>(Stage::weights)].output = weights;
    wrong.records[static_cast<std::size_t>(Stage::mask)].output = trace[Stage::mask];
    const Tensor heads = gather_values(weights, trace[Stage::V_heads]);
    wrong.records[static_cast<std::size_t>(Stage::output)].output =
        project(merge_heads(heads), trace[Stage::W_o], trace[Stage::b_o]);
    Convention choice;
    choice.id = "after_softmax";
    choice.applies = false;
    choice.weights = weights;
    choice.mask = trace[Stage::mask];
    measure(choice, difference(trace, wrong));
    found.push_back(std::move(choice));
  }
};

}  // namespace

std::string with_calls_swapped(const std::string& expression, std::string_view one, std::string_view other) {
  std::string text = expression;
  std::vector<PatternCall> calls = MaskExpression::parse(expression).pattern_calls();
  std::ranges::sort(calls, std::ranges::greater{}, &PatternCall::begin);  // from the end, so that places stay
  for (const PatternCall& call : calls) {
    const std::string_view name = call.pattern->name;
    if (name == one) text.replace(call.begin, name.size(), other);
    if (name == other) text.replace(call.begin, name.size(), one);
  }
  return text;
}

std::vector<Convention> conventions(const Trace& trace) {
  if (!trace.has(Stage::mask)) return {};
  Finder find{trace};
  const std::string expression = expression_in_force(trace.scenario, trace.inputs);
  find.mask("polarity", "!(" + expression + ")");
  find.mask("window", with_calls_swapped(expression, "window", "window_inclusive"));
  if (trace.dims().n_q != trace.dims().n_k) find.mask("corner", with_calls_swapped(expression, "causal", "causal_bottom_right"));
  for (const auto& [id, fill] : {std::pair("fill:-inf", -INFINITY), std::pair("fill:-1e9", -1e9F), std::pair("fill:-1e6", -1e6F), std::pair("fill:-1e4", -1e4F)}) {
    Scenario scenario = trace.scenario;
    scenario.fill = fill;
    if (trace.fill != fill) find.add(id, scenario);
  }
  if (has_dead_row(trace)) {
    for (const auto& [id, policy] : {std::pair("dead_row:nan", DeadRow::nan), std::pair("dead_row:uniform", DeadRow::uniform), std::pair("dead_row:zero", DeadRow::zero)}) {
      Scenario scenario = trace.scenario;
      scenario.dead_row = policy;
      find.add(id, scenario);
    }
  }
  find.after_softmax();
  return std::move(find.found);
}

}  // namespace headlight
