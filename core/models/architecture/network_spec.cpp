#include "core/models/architecture/network_spec.h"

#include <cassert>

namespace headlight {

std::optional<MaskExpression> layer_mask(const AttentionSpec& spec, bool from_corner) {
  assert(!from_corner || spec.causal);
  const auto call = [from_corner](const char* pattern, Index size) {
    return MaskExpression::call(pattern, {static_cast<double>(size)}, from_corner);
  };
  std::optional<MaskExpression> within;
  if (spec.window > 0) within = call("window", spec.window);
  else if (spec.chunk > 0) within = call("chunked", spec.chunk);
  if (!spec.causal) return spec.mask ? spec.mask : within;
  const MaskExpression causal = MaskExpression::call(from_corner ? "causal_bottom_right" : "causal");
  if (!spec.masks.empty()) return MaskExpression::call_of_file(MaskExpression::file_cells()) && causal;
  return within ? causal && *within : causal;
}

}  // namespace headlight
