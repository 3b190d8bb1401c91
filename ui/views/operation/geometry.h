// Inside ui/views/operation: the parts of the geometry (make_geometry).
#pragma once

#include <algorithm>

#include "core/teaching/explain/head_plane.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {

/// At most so many keys are drawn.
inline constexpr Index most_arrows = 160;
/// The first of the keys that have arrows, for a chosen key of `n_k`.
inline Index first_arrow(Index chosen, Index n_k) {
  return n_k > most_arrows ? std::clamp<Index>(chosen - most_arrows / 2, 0, n_k - most_arrows) : 0;
}

/// The arrows of the focus's query and of the keys in a plane. `followed`: the followed key, whatever the pointer is
/// on.
void put_plane(const Task& task, const HeadPlane& plane, const Operands& operands, Index followed, Rect room);

}  // namespace headlight::operation
