// Wrong masks that mistakes produce: a causal mask with a shifted diagonal, padding along the wrong axis.
#pragma once

#include <vector>

#include "core/run/trace.h"

namespace headlight {

enum class CausalChange : std::uint8_t {
  excludes_self,  ///< k < q
  sees_next,      ///< k ≤ q + 1
  other_corner,   ///< top left instead of bottom right, or the other way round
};

/// The masks, [B, H, n_q, n_k], that the run's mask becomes with this change: through calls of causal() in its
/// expression, or, if its cells are causal, at either corner. Several if the mask does not determine what lies beyond
/// the diagonal; none if it is not causal.
std::vector<Tensor> causal_masks(const Trace& run, CausalChange change);

/// The masks, [B, H, n, n], that hide as queries the keys that no query may attend to; with these keys still hidden or
/// not. None if there are no such keys, or n_q ≠ n_k.
std::vector<Tensor> query_padding_masks(const Trace& run);

}  // namespace headlight
