// How far information travels through L layers with the same mask: boolean powers of its matrix. For self-attention
// (n_q = n_k); other shapes are an InputError for more than one layer.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

/// `residual`: a token also keeps its own information, as in a transformer's residual stream.
struct ReachSettings {
  Index layers = 1;  ///< ≥ 1
  bool residual = false;
};

/// [n, n], 1 if the query after the last layer can have information of the key's token before the first: Mᴸ, or (M ∨
/// I)ᴸ with the residual. Throws Cancelled.
Tensor reach(const MatrixView& mask, const ReachSettings& settings, std::stop_token stop = {});

/// [n, n]: the first layer, up to settings.layers, after which the query can have the token's information; 0 if none.
/// Information that is lost again, without residual, still counts. Throws Cancelled.
Tensor first_reach(const MatrixView& mask, const ReachSettings& settings, std::stop_token stop = {});

/// The receptive field of one query: for each layer from the input (0) to the last, the tokens on a path to it. [layers
/// + 1][n], 1 = on a path; the first row is the query's row of reach().
std::vector<std::vector<std::uint8_t>> receptive_field(const MatrixView& mask, Index query,
                                                       const ReachSettings& settings);

}  // namespace headlight
