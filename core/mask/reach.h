// How far information travels through L layers of the same mask: boolean powers of its matrix. Self-attention only
// (n_q = n_k); other shapes are an InputError for more than one layer.
#pragma once

#include <stop_token>
#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

/// `residual`: a token also keeps what it knows itself, as the residual stream of a transformer does.
struct ReachSettings {
  Index layers = 1;  ///< ≥ 1
  bool residual = false;
};

/// [n, n], 1 where the query after the last layer may have information of the key's token before the first: Mᴸ, or (M ∨ I)ᴸ
/// with the residual. Throws Cancelled.
Tensor reach(const MatrixView& mask, const ReachSettings& settings, std::stop_token stop = {});

/// The receptive field of one query, [n_k]: for each token the least number of layers after which the query may have its
/// information, 0 where that is more than `layers`. A token that the residual alone brings counts as 1.
std::vector<Index> receptive_field(const MatrixView& mask, Index query, const ReachSettings& settings);

}  // namespace headlight
