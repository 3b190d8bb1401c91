#include "core/stage/extent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

constexpr float largest = std::numeric_limits<float>::max();

}  // namespace

void Extent::add_plain(const MatrixView& matrix) {
  constexpr Index lanes = 16;  // side by side, for vector instructions
  float low[lanes], high[lanes];
  std::fill_n(low, lanes, lo_);
  std::fill_n(high, lanes, hi_);
  for (Index row = 0; row < matrix.rows; ++row) {
    const float* values = matrix.data + row * matrix.row_stride;
    Index col = 0;
    for (; col + lanes <= matrix.cols; col += lanes) {
      for (Index lane = 0; lane < lanes; ++lane) {
        const float v = values[col + lane];
        const float finite_low = v >= -largest ? v : largest, finite_high = v <= largest ? v : -largest;
        low[lane] = finite_low < low[lane] ? finite_low : low[lane];
        high[lane] = finite_high > high[lane] ? finite_high : high[lane];
      }
    }
    for (; col < matrix.cols; ++col) {
      if (std::isfinite(values[col])) add(values[col]);
    }
  }
  for (Index lane = 0; lane < lanes; ++lane) {
    lo_ = std::min(lo_, low[lane]);
    hi_ = std::max(hi_, high[lane]);
  }
}

void Extent::add(const MatrixView& matrix, const CellMasks& masks) {
  if (!masks.any() && matrix.col_stride == 1) return add_plain(matrix);
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      if (classify(matrix, masks, row, col) == CellKind::value) add(matrix(row, col));
    }
  }
}

ValueRange Extent::range(ColormapKind kind) const {
  if (kind == ColormapKind::diverging) {
    const float reach = empty() ? 0.0f : std::max(std::fabs(lo_), std::fabs(hi_));
    return reach > 0 ? ValueRange{-reach, reach} : ValueRange{-1, 1};
  }
  if (empty() || (lo_ == 0 && hi_ == 0)) return {0, 1};
  return {std::min(lo_, 0.0f), std::max(hi_, 0.0f)};
}

}  // namespace headlight
