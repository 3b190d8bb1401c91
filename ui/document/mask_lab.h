// What the mask view is looked at with: a part of View.
#pragma once

#include <cstdint>
#include <string>

namespace headlight {

/// The sheets of the mask view, in the order of their tabs.
enum class MaskTab : std::uint8_t { patterns, conventions, reach, cost, side_by_side };

struct MaskLab {
  MaskTab tab = MaskTab::patterns;
  int layers = 3;                          ///< that information travels through
  bool residual = true;                    ///< a token also keeps what it knows itself
  int block = 16;                          ///< side of a block that a kernel skips or computes as a whole
  std::string other = "causal() && window(3)";  ///< the second mask, B, as it is typed
  bool operator==(const MaskLab&) const = default;
};

}  // namespace headlight
