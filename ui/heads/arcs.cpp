#include "ui/heads/arcs.h"

#include <algorithm>
#include <cmath>

namespace headlight {

std::vector<TokenArc> token_arcs(MatrixView weights, Index first, Index last, float mass) {
  std::vector<TokenArc> arcs;
  std::vector<TokenArc> row;
  for (Index q = first; q < last; ++q) {
    row.clear();
    double sum = 0;
    for (Index k = 0; k < weights.cols; ++k) {
      const float weight = weights(q, k);
      sum += static_cast<double>(weight);
      if (weight > 0) row.push_back({q, k, weight});
    }
    if (!std::isfinite(sum)) continue;
    std::ranges::stable_sort(row, std::greater(), &TokenArc::weight);
    // A hair less than asked for, so that rounding in the sum does not let one more in.
    const double wanted = static_cast<double>(mass) * sum * (1 - 1e-6);
    double reached = 0;
    for (const TokenArc& arc : row) {
      if (reached >= wanted) break;
      arcs.push_back(arc);
      reached += static_cast<double>(arc.weight);
    }
  }
  return arcs;
}

}  // namespace headlight
