// Inside ui/operation: the parts of the geometry (make_geometry).
#pragma once

#include "core/explain/head_plane.h"
#include "ui/operation/parts.h"

namespace headlight::operation {

/// At most so many keys are drawn.
inline constexpr Index most_arrows = 160;

/// The arrows of the focus's query and of the keys in a plane. `settled`: the followed key, whatever the pointer is on.
void put_plane(const Task& task, const HeadPlane& plane, const Operands& operands, Index settled, Rect room);

}  // namespace headlight::operation
