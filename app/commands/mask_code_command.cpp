// headlight mask-code: the mask as Python that makes it, for PyTorch, FlexAttention or NumPy.
#include <iostream>
#include <span>

#include "app/commands/commands.h"
#include "core/export/matrix_export.h"
#include "core/files/whole_file.h"
#include "core/network/network_trace.h"
#include "core/run/pipeline.h"
#include "core/scenario/tensor_file.h"

namespace headlight {
namespace {

MaskFormat target_of(const std::string& word) {
  if (word == "pytorch") return MaskFormat::pytorch;
  if (word == "flex") return MaskFormat::flex_attention;
  if (word == "numpy") return MaskFormat::numpy;
  throw SettingError("--as", "\"" + word + "\" is not known", "expected pytorch, flex or numpy");
}

}  // namespace

int mask_code_command(const CommandLine& line) {
  const MaskFormat target = target_of(line.has("--as") ? line["--as"] : "pytorch");
  Run run;
  run.threads = line.threads();
  const std::string code = mask_code(*compute_any(scenario_of(line), nullptr, run), target);
  if (line.has("-o")) {
    write_whole_file(path_from(line["-o"]), std::as_bytes(std::span(code)));
  } else {
    std::cout << code;
  }
  return 0;
}

}  // namespace headlight
