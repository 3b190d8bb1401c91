// What the script reads: inputs.npz and trace.npz.
#include "core/export/script.h"
#include "core/run/stage_steps.h"

namespace headlight {

std::vector<NamedArray> script_inputs(const Trace& trace) {
  const Inputs& in = trace.inputs;
  std::vector<NamedArray> arrays;
  const auto add = [&](std::string_view name, const Tensor& values, bool boolean = false) {
    if (values.defined()) arrays.push_back({std::string(name), values, boolean});
  };
  if (in.self_attention()) {
    add("x", in.query);
  } else {
    for (const Stage stage : {Stage::query, Stage::key, Stage::value}) add(name(stage), in.matrix(stage));
  }
  for (const Stage stage : all_matrices()) {
    if (!is_input(stage)) add(name(stage), in.matrix(stage));
  }
  add("bias", in.bias);
  if (!makes_own_mask(trace.scenario)) add("mask", trace[Stage::mask], true);
  add("t5_table", trace.t5_table);
  add("sink_logits", trace.sink_logits);
  add("q_norm", norm_of(trace, Stage::Q_normed).gain);
  add("k_norm", norm_of(trace, Stage::K_normed).gain);
  add("q_norm_bias", norm_of(trace, Stage::Q_normed).bias);
  add("k_norm_bias", norm_of(trace, Stage::K_normed).bias);
  add("dropout_keep", trace.dropout_keep, true);
  return arrays;
}

std::vector<NamedArray> trace_arrays(const Trace& trace, bool parameters) {
  std::vector<NamedArray> arrays;
  for (const Stage stage : trace.stages()) {
    arrays.push_back({std::string(name(stage)), trace[stage], info(stage).palette == Palette::boolean});
  }
  if (trace.contributions.defined())
    arrays.push_back({std::string(name(Stage::contribution_norms)), trace.contributions});
  if (!parameters) return arrays;
  for (const Stage stage : all_matrices()) {
    if (is_parameter(stage) && trace.has(stage)) arrays.push_back({std::string(name(stage)), trace[stage], false});
  }
  if (trace.dropout_keep.defined()) arrays.push_back({"dropout_keep", trace.dropout_keep, true});
  if (trace.sink_logits.defined()) arrays.push_back({"sink_logits", trace.sink_logits, false});
  if (trace.t5_table.defined()) arrays.push_back({"t5_table", trace.t5_table, false});
  return arrays;
}

}  // namespace headlight
