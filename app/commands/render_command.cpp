// headlight render: writes one stage as a picture or as numbers. headlight bundle: writes a figure with everything that
// is needed to check it.

#include <algorithm>
#include <iostream>
#include <span>

#include "app/commands/commands.h"
#include "core/base/files/whole_file.h"
#include "core/base/tensor/memory.h"
#include "core/base/text/texts.h"
#include "core/compute/network/gradients.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/pipeline.h"
#include "core/figures/export/export_options.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/export/matrix_export.h"
#include "core/figures/figure/fonts.h"
#include "core/scenario/inputs/tensor_file.h"

namespace headlight {
namespace {

/// Reads the export options of the command line. Throws SettingError.
ExportOptions export_options_of(const CommandLine& line) {
  ExportOptions options;
  for (const bool styles : {true, false}) {  // the style comes first, so that other options override it
    for (const ExportOption& option : all_export_options()) {
      const std::string name(option.option);
      if (line.has(name) && (name == "--style") == styles) option.apply(options, name, line[name]);
    }
  }
  std::vector<std::string> given;
  for (const ExportOption& option : all_export_options()) {
    if (line.has(std::string(option.option))) given.emplace_back(option.option);
  }
  check_options(options, given);
  return options;
}

}  // namespace

int render_command(const CommandLine& line) {
  const std::string out = line["-o"];
  if (out.empty()) throw UsageError("render needs -o FILE, such as heads.png");
  const std::string kind = line["--kind"], layers = line["--layers"];
  check_export_name(out);
  const ExportOptions options = export_options_of(line);
  const bool predicts = is_of_prediction(options.style.kind);
  const bool of_mask = kind == "reach" || kind == "blocks" || kind == "side-by-side";
  const bool has_own_numbers = predicts || of_mask || kind == "overlay" || layers == "experts" || layers == "kept";
  if (!line.has("--stage") && !has_own_numbers) throw UsageError("render needs --stage STAGE");
  Run run = run_of(line);
  // Only one stage is needed: for a long sequence, other stages and heads are not computed.
  const bool one_stage =
      options.stage != Stage::contribution_norms && options.layers.empty() && options.over.empty() && !of_mask;
  if (is_figure_file(extension_of(out))) {
    if (one_stage && options.pool == HeadPool::none) run.most_kept = std::min(64e6, memory_budget());
  } else if (one_stage && !predicts && !options.gradient) {
    run.last = options.stage;
    if (info(options.stage).cols == Axis::key) run.scores_kept = {options.stage};
  }
  auto trace = compute_any(scenario_of(line), nullptr, run);
  if (run.last && !trace->has(options.stage)) {  // for an error message that lists the stages
    run.last.reset();
    run.scores_kept.reset();
    trace = compute_any(scenario_of(line), nullptr, run);
  }
  if (options.gradient) trace = gradient_trace(trace, options.loss);
  const std::vector<Message> missing = write_export(*trace, options, out);
  std::vector<Assumption> assumptions = trace->inputs.assumptions;
  if (predicts || !options.layers.empty())  // no picture of the one layer that the trace is of
    std::erase_if(assumptions, [](const Assumption& assumption) { return assumption.what == "layer"; });
  print_assumptions(line, assumptions);  // after everything that can fail: an error is a single line
  if (trace->gradients_of) say(line.file.empty() ? "headlight" : line.file, trace->loss.english());
  const std::string list = comma_list(missing, [](const Message& each) { return each.english(); });
  if (!list.empty()) say("headlight: " + out, "left out, because there is no room: " + list);
  const std::string font = options.style.font, set = font.empty() ? font : installed_family(font);
  if (set != font) say("headlight: --font " + font, "set in " + set);
  return 0;
}

int bundle_command(const CommandLine& line) {
  std::string out = line["-o"];
  if (out.empty()) throw UsageError("bundle needs -o FOLDER or -o OUT.zip");
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  ExportOptions options = export_options_of(line);
  options.all_heads |= !line.has("--head") && takes_several_heads(options);
  const auto trace = trace_of(line);
  write_bundle(path_from(out), *trace, options);
  print_assumptions(line, trace->inputs.assumptions);
  return 0;
}

// headlight mask-code: writes Python code that makes the mask, for PyTorch, FlexAttention or NumPy.
namespace {

MaskFormat target_of(const std::string& word) {
  if (word == "pytorch") return MaskFormat::pytorch;
  if (word == "flex") return MaskFormat::flex_attention;
  if (word == "numpy") return MaskFormat::numpy;
  throw SettingError("--as", "\"" + word + "\" is not known", "expected pytorch, flex or numpy");
}

}  // namespace

int mask_code_command(const CommandLine& line) {
  const MaskFormat target = target_of(line.text("--as", "pytorch"));
  const auto trace = trace_of(line);
  const std::string code = mask_code(*trace, target);
  if (line.has("-o")) write_whole_file(path_from(line["-o"]), code);
  else std::cout << code;
  print_assumptions(line, trace->inputs.assumptions);
  return 0;
}

}  // namespace headlight
