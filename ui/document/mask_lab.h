// What the mask view is looked at with: a part of View.
#pragma once

#include <optional>
#include <string>

#include "core/scenario/scenario_view.h"

namespace headlight {

struct MaskLab {
  MaskTab tab = MaskTab::patterns;
  int layers = 3;            ///< that information travels through
  bool residual = true;      ///< a token also keeps what it knows itself
  std::optional<int> block;  ///< side of a block that a kernel skips or computes as a whole; unset: usual_block()
  std::optional<std::string> other;  ///< the second mask, B, as it is typed; unset: second_mask()
  bool operator==(const MaskLab&) const = default;
};

}  // namespace headlight
