// headlight bundle: a figure with everything it takes to check it.
#include "app/commands/commands.h"
#include "app/commands/export_line.h"
#include "core/export/bundle.h"
#include "core/network/network_trace.h"
#include "core/run/pipeline.h"
#include "core/scenario/tensor_file.h"

namespace headlight {

int bundle_command(const CommandLine& line) {
  std::string out = line["-o"];
  if (out.empty()) throw UsageError("bundle needs -o FOLDER or -o OUT.zip");
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  CommandLine whole = line;
  if (!line["--layers"].starts_with("rollout") && !line["--layers"].starts_with("flow"))
    whole.options.try_emplace("--head", "all");
  const ExportOptions options = export_options_of(whole);
  Run run;
  run.threads = line.threads();
  const auto trace = compute_any(scenario_of(line), nullptr, run);
  write_bundle(path_from(out), *trace, options);
  return 0;
}

}  // namespace headlight
