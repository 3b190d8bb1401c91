// headlight trace: writes every stage as an array, or prints how long each one takes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/base/arrays/array_write.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/memory.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/compute/network/gradients.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/contributions.h"
#include "core/compute/run/pipeline.h"
#include "core/figures/export/export_options.h"
#include "core/figures/export/reproduce_script.h"
#include "core/scenario/inputs/tensor_file.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

nlohmann::ordered_json summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  const double median = times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  return {{"min_ms", times.front()}, {"median_ms", median}};
}

/// Computes resolved inputs `runs` times and prints the times.
void print_times(const Scenario& scenario, const Inputs& inputs, const Run& run, Index runs) {
  std::vector<double> total;
  std::vector<std::pair<Stage, std::vector<double>>> stages;
  for (Index i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto trace = compute(scenario, inputs, nullptr, run);
    total.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    if (stages.empty()) {
      for (const Stage stage : trace->stages()) stages.push_back({stage, {}});
    }
    for (auto& [stage, times] : stages) times.push_back(trace->records[static_cast<std::size_t>(stage)].milliseconds);
  }
  nlohmann::ordered_json json;
  json["whole"] = summary(total);
  json["stages"] = nlohmann::ordered_json::object();
  for (const auto& [stage, times] : stages) json["stages"][std::string(name(stage))] = summary(times);
  print_json(json);
}

/// Says the axes of weights that are written without the heads that they come from, where they could be read in several
/// ways: such a file is saved attention.
void say_axes(std::vector<NamedArray>& arrays) {
  const auto ends = [](std::string_view ending) {
    return [ending](const NamedArray& array) { return array.name.ends_with(ending); };
  };
  if (std::ranges::any_of(arrays, ends(name(Stage::Q_heads)))) return;
  for (NamedArray& array : arrays) {
    const Shape& shape = array.values.shape();
    const bool usual = shape.size() == 4 && shape[0] == 1 && shape[2] == shape[3];
    if (ends(name(Stage::weights))(array) && shape.size() == 4 && !usual) array.axes = "B,H,q,k";
  }
}

void write_arrays(const std::string& out, std::vector<NamedArray> arrays) {
  say_axes(arrays);
  double numbers = 0, bytes = 0;
  for (const NamedArray& array : arrays) {
    numbers += static_cast<double>(array.values.count());
    bytes += array.values.source() ? 4 * static_cast<double>(array.values.count()) : 0;
  }
  constexpr double a_number = 15, most_text = 1.5e9;  // bytes
  if (extension_of(out) == ".json" && numbers * a_number > most_text)
    throw FileError(out, Message("would hold {0} of text", formatted("%.1f GB", numbers * a_number / 1e9)),
                    "expected fewer tokens or stages, or .npz");
  if (bytes > memory_budget())
    throw FileError(
        out, "would hold " + formatted("%.1f GB", bytes / 1e9) + " of stages that are computed as they are looked at",
        "expected fewer tokens, or render and explain, which look at parts of them");
  array_format(extension_of(out))->write(path_from(out), arrays);
}

/// All stages of a trace, and other arrays that the command line requests.
std::vector<NamedArray> arrays_of(const CommandLine& line, std::shared_ptr<const Trace> trace, const Run& run) {
  if (line.has("--contributions")) trace = with_contributions(std::move(trace), run.threads);
  return trace_arrays(*trace, line.has("--parameters"));
}

/// The named stages, and those whose gradients are named.
struct NamedStages {
  std::vector<Stage> stages, gradients;
};

/// --stages weights,d_weights: the named stages, or all stages by default, with --loss all gradients too.
NamedStages stages_of(const CommandLine& line) {
  NamedStages named;
  const std::string& listed = line["--stages"];
  if (listed.empty()) {
    named.stages = {all_stages().begin(), all_stages().end()};
    if (line.has("--loss")) named.gradients = {all_matrices().begin(), all_matrices().end()};
    return named;
  }
  for (const std::string_view word : Split(listed, ',')) {
    if (const auto slope = gradient_named(word)) {
      named.gradients.push_back(*slope);
      continue;
    }
    const auto stage = stage_named(word);
    if (!stage)
      throw SettingError("--stages", "\"" + std::string(word) + "\" is no stage",
                         "expected names of headlight list stages, with commas between them");
    named.stages.push_back(*stage);
  }
  return named;
}

/// The gradients of one layer under their names; those of parameters only where they were asked for.
void append_gradients(const CommandLine& line, const NamedStages& named, const LayerStages& gradients,
                      const std::string& prefix, std::vector<NamedArray>& arrays) {
  for (const Stage stage : named.gradients) {
    if (is_parameter(stage) && !line.has("--parameters") && !line.has("--stages")) continue;
    if (gradients[stage].defined()) arrays.push_back({prefix + gradient_name(stage), gradients[stage]});
  }
}

/// What a message is about.
std::string subject_of(const CommandLine& line) { return line.file.empty() ? "headlight" : line.file; }

/// Throws if the scenario's layers cannot be traced together.
void check_all_layers(const Scenario& scenario, const std::string& subject) {
  Scenario first = scenario;
  first.layer = "0";  // with a number, nn.Transformer's layers are read as a network, not as a single layer
  if (!is_network(scenario) && !is_network(first))
    throw FileError(subject, "is no network, so that it has no layers to trace together",
                    "expected a model's folder, its file with --text, or model:ID");
  if (scenario.merge == Merge::words)
    throw SettingError("--merge", "is of one layer's weights", "expected --layer N with it");
  if (const std::string changed = changed_settings(scenario); !changed.empty())
    throw SettingError("--layer", "all is set beside " + changed + ", which is changed in one layer alone",
                       "expected the layer that it is changed in, or no change");
}

/// Writes the named stages of one layer by their names, or of all layers as layers.N.STAGE, with the input of each
/// block and the logits.
int trace_layers(const CommandLine& line, Scenario scenario, const Run& run) {
  const bool all = scenario.layer == "all";
  if (line.has("--time")) throw UsageError("--time goes with one layer and without --stages and --loss");
  if (all) check_all_layers(scenario, subject_of(line));
  const NamedStages named = stages_of(line);
  const std::vector<Stage>& stages = named.stages;
  const bool measures =
      line.has("--contributions") || std::ranges::find(stages, Stage::contribution_norms) != stages.end();
  std::vector<NamedArray> arrays;
  std::vector<Assumption> assumptions;
  const auto append = [&](const Trace& trace, const std::string& prefix) {
    for (const Stage stage : stages) {
      if (is_parameter(stage) && !line.has("--parameters")) continue;
      if (!trace.has(stage)) continue;
      arrays.push_back({prefix + std::string(name(stage)), trace[stage], info(stage).palette == Palette::boolean});
    }
    if (measures)
      arrays.push_back({prefix + std::string(name(Stage::contribution_norms)), contribution_norms(trace, run.threads)});
  };
  if (!all) {
    const auto trace = compute_any(scenario, nullptr, run);
    assumptions = trace->inputs.assumptions;
    append(*trace, "");
    if (!named.gradients.empty()) {
      const auto of = gradient_trace(trace, line["--loss"]);
      assumptions.push_back({"loss", of->loss});
      for (const Stage stage : named.gradients) {
        if (is_parameter(stage) && !line.has("--parameters") && !line.has("--stages")) continue;
        if (of->has(stage) && stage != Stage::mask) arrays.push_back({gradient_name(stage), (*of)[stage]});
      }
    }
  } else {
    RunOptions options;
    options.threads = run.threads;
    options.weights = false;
    const auto pass = run_network(scenario, nullptr, options);
    const auto layers = pass->network->layers();
    std::optional<NetworkGradients> gradients;
    if (!named.gradients.empty()) gradients = gradients_of(*pass, line["--loss"]);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      scenario.layer = layers[i].layer;
      const auto trace = compute_layer(pass, static_cast<Index>(i), scenario, nullptr, run);
      if (i == 0) assumptions = trace->inputs.assumptions;
      const std::string prefix = "layers." + layers[i].layer + ".";
      append(*trace, prefix);
      if (gradients) append_gradients(line, named, gradients->of_stages[i], prefix, arrays);
      if (gradients && line.has("--loss")) arrays.push_back({prefix + "d_residual", gradients->of_stages[i].residual});
      arrays.push_back({prefix + "residual", pass->layers[i].residual.contiguous()});
      if (pass->layers[i].experts.defined()) arrays.push_back({prefix + "experts", pass->layers[i].experts});
    }
    if (gradients)
      assumptions.push_back({"loss", Message("{0} = {1}", gradients->about, formatted("%.6g", gradients->loss))});
    if (pass->logits.defined()) arrays.push_back({"logits", pass->logits});
  }
  write_arrays(line["-o"], arrays);
  print_assumptions(line, assumptions);
  return 0;
}

}  // namespace

void print_assumptions(const CommandLine& line, const std::vector<Assumption>& assumptions) {
  for (const Assumption& assumption : assumptions)
    say(subject_of(line), assumption.what + ": " + assumption.taken_for.english());
}

void print_json(const nlohmann::ordered_json& json) {
  std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

void check_predicts(const CommandLine& line, const Network& network) {
  if (!network.spec().head.output.there())
    throw FileError(line.file, "has no output head, so that it predicts nothing", "expected a language model");
}

int trace_command(const CommandLine& line) {
  const std::string out = line["-o"];
  if (out.empty() && !line.has("--time")) throw UsageError("trace has nothing to do without -o OUT.npz or --time N");
  if (!out.empty()) {
    const ArrayFormat* const format = array_format(extension_of(out));
    if (!format || format->capacity != Capacity::arrays)
      throw FileError(out, "trace cannot write this kind of file", expected_ending(number_endings(Capacity::arrays)));
  }
  const Index runs = line.has("--time") ? parse_whole("--time", line["--time"], 1, 1000000) : 0;
  const Scenario scenario = scenario_of(line);
  const Run run = run_of(line);
  if (line.has("--stages") || line.has("--loss") || scenario.layer == "all") return trace_layers(line, scenario, run);
  if (is_network(scenario) || scenario.merge == Merge::words) {
    const auto trace = compute_any(scenario, nullptr, run);
    if (runs > 0) print_times(trace->scenario, trace->inputs, run, runs);
    if (!out.empty()) write_arrays(out, arrays_of(line, trace, run));
    print_assumptions(line, trace->inputs.assumptions);  // after everything that can fail: an error is a single line
    return 0;
  }
  if (!scenario.knock_out.empty())
    throw SettingError("--knock-out", "is set, but this is no network", "expected a model's folder or model:ID");
  const Inputs inputs = resolve(scenario);
  if (runs > 0) print_times(scenario, inputs, run, runs);
  if (!out.empty()) write_arrays(out, arrays_of(line, compute(scenario, inputs, nullptr, run), run));
  print_assumptions(line, inputs.assumptions);
  return 0;
}

}  // namespace headlight
