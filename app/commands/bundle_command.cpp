// headlight bundle: a figure with everything it takes to check it.
#include "app/commands/commands.h"
#include "app/commands/figure_options.h"
#include "core/attention/pipeline.h"
#include "core/bundle/bundle.h"
#include "core/scenario/tensor_file.h"

namespace headlight {

int bundle_command(const CommandLine& line) {
  std::string out = line["-o"];
  if (out.empty()) throw UsageError("bundle needs -o FOLDER or -o OUT.zip");
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  Run run;
  run.threads = line.threads();
  const auto trace = compute(scenario_of(line), nullptr, run);
  const Stage stage = line.has("--stage") ? stage_of(line["--stage"], *trace) : Stage::weights;
  CommandLine whole = line;
  whole.options.try_emplace("--head", "all");
  write_bundle(path_from(out), cut_of(whole, *trace, stage), {});
  return 0;
}

}  // namespace headlight
