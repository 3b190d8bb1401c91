// headlight render: one stage as a picture or as numbers.
#include <algorithm>
#include <iostream>

#include "app/commands/commands.h"
#include "app/commands/export_line.h"
#include "core/export/prediction_figures.h"
#include "core/figure/fonts.h"
#include "core/network/network_trace.h"
#include "core/run/pipeline.h"
#include "core/tensor/memory.h"

namespace headlight {

ExportOptions export_options_of(const CommandLine& line) {
  ExportOptions options;
  // A style first: what the command line says itself wins.
  if (line.has("--style")) {
    for (const ExportOption& option : all_export_options()) {
      if (option.option == "--style") option.apply(options, "--style", line["--style"]);
    }
  }
  for (const ExportOption& option : all_export_options()) {
    const std::string name(option.option);
    if (line.has(name) && name != "--style") option.apply(options, name, line[name]);
  }
  return options;
}

int render_command(const CommandLine& line) {
  const std::string out = line["-o"];
  if (out.empty()) throw UsageError("render needs -o FILE, such as heads.png");
  const std::string kind = line["--kind"], layers = line["--layers"];
  check_export_name(out);
  const ExportOptions options = export_options_of(line);
  const bool predicts = is_of_prediction(options.style.kind);
  const bool has_own_numbers = predicts || kind == "overlay" || layers == "experts" || layers == "kept";
  if (!line.has("--stage") && !has_own_numbers) throw UsageError("render needs --stage STAGE");
  Run run;
  run.threads = line.threads();
  // One stage is drawn or written: of a long sequence the others, and other heads, need not be made.
  const bool one_stage = options.stage != Stage::contribution_norms && options.layers.empty();
  if (is_figure_file(extension_of(out))) {
    if (one_stage && options.pool == HeadPool::none) run.most_kept = std::min(64e6, memory_budget());
  } else if (one_stage && !predicts) {
    run.last = options.stage;
    if (info(options.stage).cols == Axis::key) run.scores_kept = {options.stage};
  }
  auto trace = compute_any(scenario_of(line), nullptr, run);
  if (run.last && !trace->has(options.stage)) {  // to say which stages there are
    run.last.reset();
    run.scores_kept.reset();
    trace = compute_any(scenario_of(line), nullptr, run);
  }
  const std::vector<Message> missing = write_export(*trace, options, out);
  print_assumptions(line, trace->inputs.assumptions);  // after what may fail: an error is one line
  std::string said;
  for (const Message& each : missing) said += (said.empty() ? "" : ", ") + each.english();
  if (!said.empty()) say("headlight: " + out, "left out for want of room: " + said);
  const std::string font = options.style.font, set = font.empty() ? font : installed_family(font);
  if (set != font) say("headlight: --font " + font, "set in " + set);
  return 0;
}

}  // namespace headlight
