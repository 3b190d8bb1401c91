#include "core/compute/run/conventions.h"

#include <algorithm>
#include <cmath>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/sweep.h"
#include "core/compute/run/difference.h"
#include "core/compute/run/pipeline.h"
#include "core/rules/mask/expression.h"
#include "core/rules/mask/patterns.h"
#include "core/rules/mask/statistics.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
namespace {

bool has_dead_row(const Trace& trace) {
  return any_matrix(trace[Stage::mask], [](const MatrixView& mask) { return !dead_rows(mask).empty(); });
}

struct Finder {
  const Trace& trace;
  std::vector<Convention> found{};

  void add(std::string id, Scenario scenario) {
    if (!(scenario == trace.scenario)) found.push_back({std::move(id), true, std::move(scenario)});
  }

  void mask(std::string id, const std::string& expression) {
    Scenario scenario = trace.scenario;
    scenario.mask = expression;
    if (expression != trace.mask_rule->expression.text()) add(std::move(id), scenario);
  }
};

ConventionEffect measured(const Trace& trace, const Trace& other) {
  ConventionEffect effect;
  effect.weights = other[Stage::weights];
  effect.mask = other[Stage::mask];
  const Difference change = difference(trace, other);
  if (const StageDifference* mask = change.find(Stage::mask)) effect.cells = mask->changed;
  if (const StageDifference* output = change.find(Stage::output)) effect.output_change = output->largest;
  const StageDifference* weights = change.find(Stage::weights);
  if (!weights || !weights->values.defined()) return effect;
  effect.weights_change = weights->largest;
  const Tensor values = weights->values.contiguous();
  effect.nan_changes = std::ranges::any_of(values.values(), [](float v) { return std::isnan(v); });
  return effect;
}

/// The weights of the run without a mask, times the mask: the rows no longer sum to one.
Trace masked_after_softmax(const Trace& trace) {
  Scenario open = trace.scenario;
  open.mask = "full()";
  open.painted.clear();
  Trace wrong = *compute(open, trace.inputs, &trace, {});
  const auto record = [&](Stage stage) -> Tensor& { return wrong.records[static_cast<std::size_t>(stage)].output; };
  record(Stage::weights) = apply_mask(wrong[Stage::weights], trace[Stage::mask], {0});
  record(Stage::mask) = trace[Stage::mask];
  if (trace.has(Stage::V_heads)) {  // a file of attention has no values
    record(Stage::output) = project(merge_heads(gather_values(wrong[Stage::weights], trace[Stage::V_heads])),
                                    trace[Stage::W_o], trace[Stage::b_o]);
  }
  return wrong;
}

}  // namespace

std::string with_calls_swapped(const std::string& expression, std::string_view one, std::string_view other) {
  std::string text = expression;
  std::vector<PatternCall> calls = MaskExpression::parse(expression).pattern_calls();
  std::ranges::sort(calls, std::ranges::greater{}, &PatternCall::begin);  // from the end: positions stay valid
  for (const PatternCall& call : calls) {
    const std::string_view name = call.pattern->name;
    if (name == one) text.replace(call.begin, name.size(), other);
    if (name == other) text.replace(call.begin, name.size(), one);
  }
  return text;
}

std::vector<Convention> other_conventions(const Trace& trace) {
  if (!trace.has(Stage::mask)) return {};
  Finder find{trace};
  const std::string& expression = trace.mask_rule->expression.text();
  Scenario inverted = trace.scenario;  // painted cells are inverted as well
  inverted.mask = "!(" + expression + ")";
  if (trace.mask_rule->paints_over()) {
    for (PaintedCells& cells : inverted.painted) cells.attend = !cells.attend;
  }
  find.add("polarity", inverted);
  find.mask("window", with_calls_swapped(expression, "window", "window_inclusive"));
  if (trace.dims().n_q != trace.dims().n_k)
    find.mask("corner", with_calls_swapped(expression, "causal", "causal_bottom_right"));
  for (const auto& [id, fill] : {std::pair("fill:-inf", -INFINITY), std::pair("fill:-1e9", -1e9F),
                                 std::pair("fill:-1e6", -1e6F), std::pair("fill:-1e4", -1e4F)}) {
    Scenario scenario = trace.scenario;
    scenario.fill = fill;
    if (trace.fill != fill) find.add(id, scenario);
  }
  if (has_dead_row(trace)) {
    for (const auto& [id, policy] :
         {std::pair("dead_row:nan", DeadRow::nan), std::pair("dead_row:uniform", DeadRow::uniform),
          std::pair("dead_row:zero", DeadRow::zero)}) {
      Scenario scenario = trace.scenario;
      scenario.dead_row = policy;
      find.add(id, scenario);
    }
  }
  find.found.push_back({"after_softmax", false, {}});
  return std::move(find.found);
}

ConventionEffect effect_of(const Convention& choice, const Trace& trace) {
  return choice.applies ? measured(trace, *compute(choice.scenario, trace.inputs, &trace, {}))
                        : measured(trace, masked_after_softmax(trace));
}

}  // namespace headlight
