// Token arcs: which keys a query looks at, as lines between two columns of tokens. Plain data.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

struct TokenArc {
  Index query = 0, key = 0;
  float weight = 0;
  bool operator==(const TokenArc&) const = default;
};

/// For rows [first, last) of `weights` [n_q, n_k]: each row's largest weights until they make up `mass` (0 … 1) of the
/// row's sum, the largest first, equal ones in the order of their keys. Weights that are not positive have no arc, and
/// neither has a row whose sum is not a finite number.
std::vector<TokenArc> token_arcs(MatrixView weights, Index first, Index last, float mass);

}  // namespace headlight
