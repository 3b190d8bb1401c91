// A mask guessed from attention weights: zeros that have the shape of a mask. A zero may also be a number too small for
// its type (float16), or sparsemax's.
#include <algorithm>

#include "core/scenario/inputs/file_source.h"

namespace headlight {
namespace {

/// Which cells of [n_q, n_k] have a weight in some head of a batch entry.
struct Weighed {
  Index n_q, n_k;
  std::vector<bool> any;
  bool at(Index q, Index k) const { return any[static_cast<std::size_t>(q * n_k + k)]; }
  bool column(Index k) const {
    for (Index q = 0; q < n_q; ++q) {
      if (at(q, k)) return true;
    }
    return false;
  }
};

Weighed weighed(const Tensor& weights, Index b) {
  Weighed out{weights.size(2), weights.size(3), {}};
  out.any.assign(static_cast<std::size_t>(out.n_q * out.n_k), false);
  for (Index h = 0; h < weights.size(1); ++h) {
    const MatrixView matrix = weights.matrix(b, h);
    for (Index q = 0; q < out.n_q; ++q) {
      for (Index k = 0; k < out.n_k; ++k) {
        if (matrix(q, k) != 0) out.any[static_cast<std::size_t>(q * out.n_k + k)] = true;
      }
    }
  }
  return out;
}

/// The columns between which all weights lie: the others are padding.
struct Columns {
  Index first, last;
};
Columns columns_of(const Weighed& w) {
  Columns out{0, w.n_k};
  while (out.last > 0 && !w.column(out.last - 1)) --out.last;
  while (out.first < out.last && !w.column(out.first)) ++out.first;
  return out;
}

/// Diagonals lo to hi of k − q − offset.
struct Diagonals {
  Index lo, hi, offset;
  bool holds(Index q, Index k) const { return k - q - offset >= lo && k - q - offset <= hi; }
};

/// Whether each cell of a diagonal within the columns has a weight: an edge of a window has.
bool is_full(const Weighed& w, Columns in, Index diagonal) {
  for (Index q = 0; q < w.n_q; ++q) {
    const Index k = q + diagonal;
    if (k >= in.first && k < in.last && !w.at(q, k)) return false;
  }
  return true;
}

/// The diagonals of a causal mask or a window; all of them if the weights have neither's shape.
Diagonals diagonals_of(const std::vector<Weighed>& all, const std::vector<Columns>& columns) {
  const Index n_q = all.front().n_q, n_k = all.front().n_k;
  Index lo = n_k, hi = -n_q;
  for (const Weighed& w : all) {
    for (Index q = 0; q < n_q; ++q) {
      for (Index k = 0; k < n_k; ++k) {
        if (w.at(q, k)) lo = std::min(lo, k - q), hi = std::max(hi, k - q);
      }
    }
  }
  const Diagonals none{1 - n_q - n_k, n_q + n_k, 0};
  const Index offset = hi <= 0 || n_q >= n_k ? 0 : n_k - n_q;
  const bool causal = hi == offset && n_q > 1;
  const auto edge = [&](Index diagonal) {
    for (std::size_t b = 0; b < all.size(); ++b) {
      if (!is_full(all[b], columns[b], diagonal)) return false;
    }
    return true;
  };
  const bool below = lo > 1 - n_q + offset && edge(lo), both = hi < n_k - 2 && lo == -hi && n_q == n_k && edge(hi);
  if (causal) return {below ? lo - offset : none.lo, 0, offset};
  return both && below ? Diagonals{lo, hi, 0} : none;
}

}  // namespace

Tensor mask_guessed(const FileReading& r, const Tensor& weights) {
  const Index batch = weights.size(0), n_q = weights.size(2), n_k = weights.size(3);
  std::vector<Weighed> all;
  std::vector<Columns> columns;
  for (Index b = 0; b < batch; ++b) {
    all.push_back(weighed(weights, b));
    columns.push_back(columns_of(all.back()));
    if (columns.back().first >= columns.back().last) columns.back() = {0, n_k};  // an entry without any weight
  }
  const Diagonals diagonals = diagonals_of(all, columns);
  Buffer cells;
  Index masked = 0, zeros = 0;
  for (std::size_t b = 0; b < all.size(); ++b) {
    for (Index q = 0; q < n_q; ++q) {
      for (Index k = 0; k < n_k; ++k) {
        const bool allowed = k >= columns[b].first && k < columns[b].last && diagonals.holds(q, k);
        cells.push_back(allowed ? 1.0F : 0.0F);
        masked += allowed ? 0 : 1;
        zeros += allowed && !all[b].at(q, k) ? 1 : 0;
      }
    }
  }
  if (zeros > 0)
    r.assume("weights", Message("{0} cells are 0 in every head and have no mask's shape: zeros, not masked", zeros));
  if (masked == 0) return {};
  r.assume("mask", Message("a guess: the {0} cells that are 0 in every head are taken for masked, since they have the "
                           "shape of a mask and the file has none",
                           masked));
  return {{batch, 1, n_q, n_k}, std::move(cells)};
}

}  // namespace headlight
