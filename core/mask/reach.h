// How far information travels through L layers of the same mask: boolean powers of its matrix. Self-attention only
// (n_q = n_k); other shapes are an InputError for more than one layer.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

/// `residual`: a token also keeps what it knows itself, as the residual stream of a transformer does.
struct ReachSettings {
  Index layers = 1;  ///< ≥ 1
  bool residual = false;
};

/// [n, n], 1 where the query after the last layer may have information of the key's token before the first: Mᴸ, or (M ∨
/// I)ᴸ with the residual. Throws Cancelled.
Tensor reach(const MatrixView& mask, const ReachSettings& settings, std::stop_token stop = {});

/// [n, n]: after how many layers, at most settings.layers, the query may first have the token's information; 0 where it
/// never has. What a layer without residual forgets again still counts. Throws Cancelled.
Tensor first_reach(const MatrixView& mask, const ReachSettings& settings, std::stop_token stop = {});

/// The receptive field of one query: for each layer, the input (0) to the last, the tokens on a path to it there.
/// [layers + 1][n], 1 = on a path; the first is the query's row of reach().
std::vector<std::vector<std::uint8_t>> receptive_field(const MatrixView& mask, Index query,
                                                       const ReachSettings& settings);

}  // namespace headlight
