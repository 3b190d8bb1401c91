#include "core/rules/stage/pool.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/base/parallel/jobs.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

constexpr std::uint8_t bit(CellKind kind) { return static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind)); }

/// The source rows of one row of the result. The rows are folded column by column first, then the columns are folded,
/// so that both loops run over contiguous memory without branches. −∞ means "no value" in `row`.
class Band {
 public:
  explicit Band(Index cols)
      : row_(size(cols)),
        low_(size(cols)),
        high_(size(cols)),
        masked_(size(cols)),
        nan_(size(cols)),
        seen_(size(cols)) {}

  void clear() {
    std::fill(low_.begin(), low_.end(), infinity);
    std::fill(high_.begin(), high_.end(), -infinity);
    std::fill(nan_.begin(), nan_.end(), 0);
    std::fill(seen_.begin(), seen_.end(), std::uint8_t{0});
    std::fill(masked_.begin(), masked_.end(), 0.0f);
  }

  void add_row(const MatrixView& matrix, const CellMasks& masks, Index row) {
    if (masks.allowed && !masks.kept) {
      hide_masked(matrix.whole_row(row, own_), masks.allowed->whole_row(row, mask_), masks.show_leaks);
      fold(row_.data(), row_.size());
    } else if (masks.any()) {
      for (Index col = 0; col < matrix.cols; ++col) {
        const CellKind kind = classify(matrix, masks, row, col);
        seen_[size(col)] |= bit(kind);
        row_[size(col)] = kind == CellKind::masked || kind == CellKind::dropped ? -infinity : matrix(row, col);
      }
      fold(row_.data(), row_.size());
    } else {
      fold(matrix.whole_row(row, own_), row_.size());
    }
  }

  /// The cell for columns [first, last) of the band.
  CellKind extreme(Index first, Index last, float centre, float& value) const {
    float low = infinity, high = -infinity;
    int nan = 0;
    std::uint8_t seen = 0;
    for (std::size_t col = size(first); col < size(last); ++col) {
      low = low_[col] < low ? low_[col] : low;
      high = high_[col] > high ? high_[col] : high;
      nan |= nan_[col];
      seen = static_cast<std::uint8_t>(seen | seen_[col]);
      if (masked_[col] > 0) seen = static_cast<std::uint8_t>(seen | bit(CellKind::masked));
    }
    value = high - centre >= centre - low ? high : low;
    if (nan != 0) return CellKind::nan;
    if (high == infinity) return CellKind::pos_inf;
    if (high > -infinity) return CellKind::value;
    if (seen & bit(CellKind::masked)) return CellKind::masked;
    return seen & bit(CellKind::dropped) ? CellKind::dropped : CellKind::neg_inf;
  }

 private:
  static std::size_t size(Index n) { return static_cast<std::size_t>(n); }

  // The same as classify(), without branches.
  void hide_masked(const float* values, const float* allowed, bool show_leaks) {
    float* const row = row_.data();
    float* const masked = masked_.data();
    const float leak = show_leaks ? 1.0f : 0.0f;
    for (std::size_t col = 0; col < row_.size(); ++col) {
      const float v = values[col];
      const float leaks = v - v == 0 ? leak * v : 0.0f;  // a finite value that is not zero
      const bool shown = (allowed[col] != 0) | (leaks != 0) | (v != v);
      row[col] = shown ? v : -infinity;
      masked[col] = shown ? masked[col] : 1.0f;
    }
  }

  void fold(const float* row, std::size_t count) {
    float* low = low_.data();
    float* high = high_.data();
    int* nan = nan_.data();
    for (std::size_t col = 0; col < count; ++col) {
      const float v = row[col];
      const float finite_low = v > -infinity ? v : infinity;
      low[col] = finite_low < low[col] ? finite_low : low[col];
      high[col] = v > high[col] ? v : high[col];
      nan[col] |= v != v;
    }
  }

  Buffer row_, low_, high_, masked_, own_, mask_;
  std::vector<int> nan_;
  std::vector<std::uint8_t> seen_;
};

std::vector<Index> cuts(Index first, Index length, Index parts) {
  std::vector<Index> at;
  for (Index i = 0; i <= parts; ++i) at.push_back(first + i * length / parts);
  return at;
}

std::vector<Index> cuts_every(Index side, Index length) {
  std::vector<Index> at;
  for (Index i = 0; i < length; i += side) at.push_back(i);
  at.push_back(length);
  return at;
}

Index at(std::span<const Index> cuts, Index i) { return cuts[static_cast<std::size_t>(i)]; }
Index parts(std::span<const Index> cuts) { return static_cast<Index>(cuts.size()) - 1; }

// A computed matrix reports which of its cells are masked. The mask stage can be drawn with itself as mask; then its
// zeros are hidden too, which the matrix cannot report.
bool hides_itself(const MatrixView& matrix, const CellMasks& masks) {
  return masks.allowed && *masks.allowed == matrix && !masks.show_leaks;
}

// `a_band`: how many rows of each band are read; 0: all.
PooledMatrix pool_in_source(const SourcePart& part, bool is_mask, std::vector<Index> row_cuts,
                            std::vector<Index> col_cuts, float centre, Index a_band, const std::stop_token& stop = {}) {
  PooledMatrix out{parts(row_cuts), parts(col_cuts), {}, {}};
  for (Index& cut : row_cuts) cut += part.row;
  for (Index& cut : col_cuts) cut += part.col;
  for (const BlockExtremes& block : part.source->extremes(part.matrix, row_cuts, col_cuts, a_band, stop)) {
    out.values.push_back(block.high - centre >= centre - block.low ? block.high : block.low);
    out.kinds.push_back(block.nan                    ? CellKind::nan
                        : block.high == infinity     ? CellKind::pos_inf
                        : is_mask && block.high == 0 ? CellKind::masked
                        : block.high > -infinity     ? CellKind::value
                        : block.masked               ? CellKind::masked
                                                     : CellKind::neg_inf);
  }
  return out;
}

PooledMatrix pool_cells(const MatrixView& matrix, const CellMasks& masks, std::span<const Index> row_cuts,
                        std::span<const Index> col_cuts, float centre, Index a_band, const std::stop_token& stop = {}) {
  PooledMatrix out{parts(row_cuts), parts(col_cuts), {}, {}};
  const auto count = static_cast<std::size_t>(out.rows * out.cols);
  out.values.assign(count, 0);
  out.kinds.resize(count);
  std::atomic<Index> next{0};
  const auto work = [&](bool) {
    Band band(matrix.cols);
    for (Index row = next++; row < out.rows && !stop.stop_requested(); row = next++) {
      band.clear();
      const Index first = at(row_cuts, row), last = at(row_cuts, row + 1);
      const Index wanted = a_band > 0 ? std::min(a_band, last - first) : last - first;
      for (Index i = 0; i < wanted; ++i) band.add_row(matrix, masks, first + i * (last - first) / wanted);
      for (Index col = 0; col < out.cols; ++col) {
        const auto cell = static_cast<std::size_t>(row * out.cols + col);
        out.kinds[cell] = band.extreme(at(col_cuts, col), at(col_cuts, col + 1), centre, out.values[cell]);
      }
    }
  };
  // Large matrices use all threads, since frames wait for them.
  const bool large = matrix.rows * matrix.cols > 1 << 20;
  large ? work_together(work) : work(true);
  if (stop.stop_requested()) throw Cancelled();
  return out;
}

}  // namespace

PooledMatrix pool(const MatrixView& matrix, const CellMasks& masks, Index rows, Index cols, float centre,
                  Index rows_looked_at, const std::stop_token& stop) {
  assert(rows > 0 && cols > 0);
  rows = std::min(rows, matrix.rows);
  const std::vector<Index> row_cuts = cuts(0, matrix.rows, rows),
                           col_cuts = cuts(0, matrix.cols, std::min(cols, matrix.cols));
  const auto a_band = [&](Index looked_at) { return looked_at > 0 ? std::max<Index>(1, looked_at / rows) : 0; };
  if (const SourcePart part = part_of_source(matrix); part.source)
    return pool_in_source(part, hides_itself(matrix, masks), row_cuts, col_cuts, centre, a_band(rows_looked_at), stop);
  // Rows that are computed when they are read cost more than stored ones.
  const bool sampled = rows_looked_at > 0 && matrix.source;
  return pool_cells(matrix, masks, row_cuts, col_cuts, centre,
                    sampled ? std::max<Index>(1, rows_looked_at / 8 / rows) : 0, stop);
}

PooledMatrix pool_blocks(const MatrixView& matrix, const CellMasks& masks, Index side, float centre,
                         Index rows_a_band) {
  assert(side > 0);
  const std::vector<Index> row_cuts = cuts_every(side, matrix.rows), col_cuts = cuts_every(side, matrix.cols);
  if (const SourcePart part = part_of_source(matrix, 1 << 10); part.source)
    return pool_in_source(part, hides_itself(matrix, masks), row_cuts, col_cuts, centre, rows_a_band);
  return pool_cells(matrix, masks, row_cuts, col_cuts, centre, rows_a_band);
}

PooledMatrix pool_means(const MatrixView& matrix, Index rows, Index cols) {
  assert(rows > 0 && cols > 0);
  PooledMatrix out{std::min(rows, matrix.rows), std::min(cols, matrix.cols), {}, {}};
  const std::vector<Index> row_cuts = cuts(0, matrix.rows, out.rows), col_cuts = cuts(0, matrix.cols, out.cols);
  for (Index r = 0; r < out.rows; ++r) {
    const Index first_row = at(row_cuts, r), last_row = at(row_cuts, r + 1);
    for (Index c = 0; c < out.cols; ++c) {
      const Index first_col = at(col_cuts, c), last_col = at(col_cuts, c + 1);
      double sum = 0;
      for (Index row = first_row; row < last_row; ++row) {
        for (Index col = first_col; col < last_col; ++col) sum += static_cast<double>(matrix(row, col));
      }
      const double mean = sum / static_cast<double>((last_row - first_row) * (last_col - first_col));
      out.values.push_back(static_cast<float>(mean));
      out.kinds.push_back(std::isfinite(mean) ? CellKind::value : CellKind::nan);
    }
  }
  return out;
}

}  // namespace headlight
