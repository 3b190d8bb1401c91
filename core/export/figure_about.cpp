#include "core/export/figure_about.h"

#include "core/export/prediction_figures.h"
#include "core/scenario/model_layer.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

std::string heads_text(const Trace& trace, const ExportOptions& options) {
  if (!has_head_axis(options.stage) || is_of_prediction(options.style.kind)) return "";
  const bool layers = !options.layers.empty();
  if (options.layers.starts_with("rollout") || options.layers.starts_with("flow")) return options.layers;
  const std::string of = layers ? "layers " + options.layers + " · " : std::string();
  if (options.pool != HeadPool::none)
    return of + (options.pool == HeadPool::mean ? "mean of the heads" : "largest of the heads");
  const bool all = options.all_heads || (layers && !options.said_heads);
  if (all) return of + (layers ? "all heads" : "heads 0 to " + std::to_string(trace[options.stage].size(1) - 1));
  std::string list;
  for (const Index h : options.heads) list += (list.empty() ? "" : ", ") + std::to_string(h);
  return of + (options.heads.size() > 1 ? "heads " : "head ") + list;
}

/// The words of the batch entry, or where they come from.
std::string input_text(const Trace& trace, Index batch) {
  const Scenario& scenario = trace.scenario;
  const bool reads = scenario.source == Source::text || scenario.text_as_input || network_of(trace.inputs);
  std::string text = reads ? scenario.text : std::string();
  for (Index line = 0; line < batch && !text.empty(); ++line)
    text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  std::string all;
  const auto add = [&](const std::string& part) { all += (all.empty() ? "" : " · ") + part; };
  if (trace.inputs.random_parameters) add("random weights");
  if (trace.inputs.random_inputs) add("random input");
  if (!all.empty()) add("seed " + std::to_string(scenario.seed));
  if (!scenario.image.empty()) add("picture: " + std::string(file_name_of(scenario.image)));
  if (!text.empty() && !trace.inputs.random_inputs) add("text: " + text);
  return all;
}

}  // namespace

std::string about_figure(const Trace& trace, const ExportOptions& options) {
  std::string all;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) all += (all.empty() ? "" : " · ") + part;
  };
  add(std::string(file_name_of(trace.scenario.file)));
  if (const std::string layer = layer_shown(trace); !layer.empty() && options.layers.empty()) add("layer " + layer);
  add(heads_text(trace, options));
  const Index batch = trace.dims().batch;
  if (batch > 1 && !is_parameter(options.stage))
    add("batch entry " + std::to_string(options.batch) + " of " + std::to_string(batch));
  add(input_text(trace, options.batch));
  return all;
}

}  // namespace headlight
