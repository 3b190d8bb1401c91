// headlight trace: every stage as an array, or how long each takes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/export/export_options.h"
#include "core/export/reproduce_script.h"
#include "core/files/array_write.h"
#include "core/run/pipeline.h"
#include "core/scenario/settings_table.h"
#include "core/scenario/tensor_file.h"

namespace headlight {
namespace {

void print_assumptions(const std::string& subject, const Inputs& inputs) {
  for (const Assumption& assumption : inputs.assumptions) {
    std::cerr << subject << ": " << assumption.what << ": " << assumption.taken_for << '\n';
  }
}

nlohmann::ordered_json summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  const double median = times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  return {{"min_ms", times.front()}, {"median_ms", median}};
}

/// Computes `runs` times from resolved inputs and prints how long it took.
void print_times(const Scenario& scenario, const Inputs& inputs, const Run& run, Index runs) {
  std::vector<double> whole;
  std::vector<std::pair<Stage, std::vector<double>>> stages;
  for (Index i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto trace = compute(scenario, inputs, nullptr, run);
    whole.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    if (stages.empty()) {
      for (const Stage stage : trace->stages()) stages.push_back({stage, {}});
    }
    for (auto& [stage, times] : stages) times.push_back(trace->records[static_cast<std::size_t>(stage)].milliseconds);
  }
  nlohmann::ordered_json json;
  json["whole"] = summary(whole);
  json["stages"] = nlohmann::ordered_json::object();
  for (const auto& [stage, times] : stages) json["stages"][std::string(name(stage))] = summary(times);
  std::cout << json.dump(2) << '\n';
}

}  // namespace

int trace_command(const CommandLine& line) {
  const std::string out = line["-o"];
  if (out.empty() && !line.has("--time")) throw UsageError("trace has nothing to do without -o OUT.npz or --time N");
  const std::string extension = extension_of(out);
  if (!out.empty() && extension != ".npz" && extension != ".json") {
    throw FileError(out, "trace cannot write this kind of file", "expected a name that ends in .npz or .json");
  }
  const Index runs = line.has("--time") ? parse_whole("--time", line["--time"], 1, 1000000) : 0;
  const Scenario scenario = scenario_of(line);
  Run run;
  run.threads = line.threads();
  const Inputs inputs = resolve(scenario);
  print_assumptions(line.file.empty() ? "headlight" : line.file, inputs);
  if (runs > 0) print_times(scenario, inputs, run, runs);
  if (!out.empty()) {
    const auto trace = compute(scenario, inputs, nullptr, run);
    const std::vector<NamedArray> arrays = trace_arrays(*trace, line.has("--parameters"));
    extension == ".json" ? write_json(path_from(out), arrays) : write_npz(path_from(out), arrays);
  }
  return 0;
}

}  // namespace headlight
