#include "core/stage/extent.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "core/parallel/thread_pool.h"
#include "core/stage/demand_matrix.h"

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

// Of a matrix that is computed as it is read, a sample: a few hundred of its rows.
static void add_sample(Extent& to, const DemandPart& part, const MatrixView& matrix) {
  constexpr Index bands = 8, rows_a_band = 6;
  std::vector<Index> rows;
  for (Index i = 0; i <= bands; ++i) rows.push_back(part.row + i * matrix.rows / bands);
  const std::array<Index, 2> cols{part.col, part.col + matrix.cols};
  for (const BlockExtremes& block : part.whole->extremes(part.matrix, rows, cols, rows_a_band)) {
    if (block.low > block.high) continue;
    if (std::isfinite(block.low)) to.add(block.low);
    if (std::isfinite(block.high)) to.add(block.high);
  }
}

void Extent::add(const MatrixView& matrix, const CellMasks& masks) {
  if (const DemandPart part = demand_part(matrix); part.whole) return add_sample(*this, part, matrix);
  if (demand_place(matrix.data).source && matrix.rows > 256) {
    // Rows on demand: a sample of them too.
    for (Index i = 0; i < 16; ++i) {
      add({matrix.data + (2 * i + 1) * matrix.rows / 32 * matrix.row_stride, 1, matrix.cols, matrix.row_stride, matrix.col_stride}, masks);
    }
    return;
  }
  if (!masks.any() && matrix.col_stride == 1) {
    if (matrix.rows * matrix.cols < 1 << 22) return add_plain(matrix);
    // By all threads; the least and the largest do not mind the order.
    std::mutex mutex;
    std::atomic<Index> next{0};
    constexpr Index parts = 64;
    work_together([&](bool) {
      Extent own;
      for (Index part = next++; part < parts; part = next++) {
        const Index first = part * matrix.rows / parts, end = (part + 1) * matrix.rows / parts;
        own.add_plain({matrix.data + first * matrix.row_stride, end - first, matrix.cols, matrix.row_stride, 1});
      }
      const std::lock_guard lock(mutex);
      lo_ = std::min(lo_, own.lo_);
      hi_ = std::max(hi_, own.hi_);
    });
    return;
  }
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
