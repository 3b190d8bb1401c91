// What the script reads: inputs.npz and trace.npz.
#include "core/export/script.h"
#include "core/scenario/model_layer.h"

namespace headlight {

std::vector<NamedArray> script_inputs(const Trace& trace) {
  const Inputs& in = trace.inputs;
  std::vector<NamedArray> arrays;
  const auto add = [&](std::string_view name, const Tensor& values, bool boolean = false) {
    if (values.defined()) arrays.push_back({std::string(name), values, boolean});
  };
  if (in.first_stage() == Stage::weights) {
    add(name(Stage::weights), in.weights);
  } else if (in.first_stage() == Stage::Q_heads) {
    for (const Stage stage : {Stage::Q_heads, Stage::K_heads, Stage::V_heads}) add(name(stage), trace[stage]);
  } else if (in.self_attention()) {
    add("x", in.query);
  } else {
    for (const Stage stage : {Stage::query, Stage::key, Stage::value}) add(name(stage), trace[stage]);
  }
  for (std::size_t i = stage_count; i < matrix_count; ++i) {
    add(name(static_cast<Stage>(i)), trace[static_cast<Stage>(i)]);
  }
  add("bias", in.bias);
  if (!makes_own_mask(trace.scenario)) add("mask", trace[Stage::mask], true);
  add("t5_table", trace.t5_table);
  add("sink_logits", trace.sink_logits);
  if (trace.scenario.qk_norm == QkNorm::rms) {
    add("q_norm", own_rules(in).q_norm);
    add("k_norm", own_rules(in).k_norm);
  }
  add("dropout_keep", trace.dropout_keep, true);
  return arrays;
}

std::vector<NamedArray> trace_arrays(const Trace& trace, bool parameters) {
  std::vector<NamedArray> arrays;
  for (const Stage stage : trace.stages()) {
    arrays.push_back({std::string(name(stage)), trace[stage], info(stage).palette == Palette::boolean});
  }
  if (!parameters) return arrays;
  for (std::size_t i = stage_count; i < matrix_count; ++i) {
    const auto stage = static_cast<Stage>(i);
    if (trace.has(stage)) arrays.push_back({std::string(name(stage)), trace[stage], false});
  }
  if (trace.dropout_keep.defined()) arrays.push_back({"dropout_keep", trace.dropout_keep, true});
  if (trace.sink_logits.defined()) arrays.push_back({"sink_logits", trace.sink_logits, false});
  if (trace.t5_table.defined()) arrays.push_back({"t5_table", trace.t5_table, false});
  return arrays;
}

}  // namespace headlight
