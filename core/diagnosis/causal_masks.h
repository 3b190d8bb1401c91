// Masks as mistakes make them: a causal one with its diagonal in the wrong place, padding along the wrong axis.
#pragma once

#include <vector>

#include "core/run/trace.h"

namespace headlight {

enum class CausalChange : std::uint8_t {
  excludes_self,  ///< k < q
  sees_next,      ///< k ≤ q + 1
  other_corner,   ///< top left for bottom right, or the other way round
};

/// The masks, [B, H, n_q, n_k], that the run's mask becomes with that change: through the calls of causal() in its
/// expression, or else where its cells are causal at either corner, whatever else they leave out. Several where the
/// mask does not tell what lies beyond the diagonal; none where it is not causal.
std::vector<Tensor> causal_masks(const Trace& run, CausalChange change);

/// The masks, [B, H, n, n], in which the keys that no query sees are hidden as queries instead: those keys seen by the
/// others, or hidden as well. None where every key is seen, or n_q ≠ n_k.
std::vector<Tensor> query_padding_masks(const Trace& run);

}  // namespace headlight
