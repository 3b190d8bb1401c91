#include "core/scenario/mask_in_force.h"

namespace headlight {

bool has_mask(const Scenario& scenario, const Inputs& inputs) {
  return !scenario.mask.empty() || inputs.has_file_mask() || inputs.valid_lens.defined() || !scenario.painted.empty();
}

std::string expression_in_force(const Scenario& scenario, const Inputs& inputs) {
  if (!scenario.mask.empty()) return scenario.mask;
  const std::string file = inputs.file_mask.defined() ? "file()" : inputs.file_rule;
  if (!inputs.valid_lens.defined()) return file.empty() ? "full()" : file;
  return file.empty() ? "padding()" : file + " && padding()";
}

MaskRule mask_rule(const Scenario& scenario, const Inputs& inputs) {
  const Dims& d = inputs.dims;
  std::string file = inputs.file_rule;
  if (!file.empty() && inputs.file_mask.defined()) file += " && file_mask";
  return {parse_mask(expression_in_force(scenario, inputs), file),
          d.batch,
          d.heads,
          d.n_q,
          d.n_k,
          inputs.valid_lens,
          inputs.file_mask,
          inputs.doc_ids,
          scenario.painted,
          inputs.grid};
}

}  // namespace headlight
