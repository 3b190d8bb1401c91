#include "core/rules/stage/extent.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <vector>

#include "core/base/parallel/jobs.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

// Adds the extremes of a matrix that is computed when it is read. `rows_a_band`: the rows that are read in each band;
// 0: all.
void add_bands(Extent& to, const SourcePart& part, const MatrixView& matrix, Index rows_a_band,
               const std::stop_token& stop) {
  constexpr Index bands = 8;
  std::vector<Index> rows;
  for (Index i = 0; i <= bands; ++i) rows.push_back(part.row + i * matrix.rows / bands);
  const std::array<Index, 2> cols{part.col, part.col + matrix.cols};
  for (const BlockExtremes& block : part.source->extremes(part.matrix, rows, cols, rows_a_band, stop)) {
    if (block.low > block.high) continue;
    if (std::isfinite(block.low)) to.add(block.low);
    if (std::isfinite(block.high)) to.add(block.high);
  }
}

}  // namespace

void Extent::add(const Survey& survey) {
  lo_ = std::min(lo_, survey.low);
  hi_ = std::max(hi_, survey.high);
}

void Extent::add(const MatrixView& matrix, const CellMasks& masks, const std::stop_token& stop) {
  if (const SourcePart part = part_of_source(matrix); part.source) return add_bands(*this, part, matrix, 6, stop);
  if (matrix.source && matrix.rows > 256) {
    // Reads a sample of rows as well, if only single rows can be read.
    for (Index i = 0; i < 16; ++i) {
      if (stop.stop_requested()) throw Cancelled();
      const MatrixView row = matrix.part((2 * i + 1) * matrix.rows / 32, 1, 0, matrix.cols);
      row.source->prepare(row.first, stop);
      add(row, masks);
    }
    return;
  }
  add(survey(matrix, masks, stop));
}

void Extent::add_every_cell(const MatrixView& matrix, const CellMasks& masks) {
  if (const SourcePart part = part_of_source(matrix); part.source) return add_bands(*this, part, matrix, 0, {});
  add(survey(matrix, masks));
}

ValueRange Extent::range(ColormapKind kind) const {
  if (kind == ColormapKind::diverging) {
    const float reach = empty() ? 0.0f : std::max(std::fabs(lo_), std::fabs(hi_));
    return reach > 0 ? ValueRange{-reach, reach} : ValueRange{-1, 1};
  }
  if (empty() || (lo_ == 0 && hi_ == 0)) return {0, 1};
  return {std::min(lo_, 0.0f), std::max(hi_, 0.0f)};
}

namespace {

constexpr float largest = std::numeric_limits<float>::max();
constexpr Index side_by_side = 16;               // cells that vector instructions handle together
constexpr Index cells_a_count = Index{1} << 24;  // far fewer than an int can count

Index& at(KindCounts& kinds, CellKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

/// Counts and extremes of some rows, in separate lanes for the cells of a vector.
struct Lanes {
  float low[side_by_side], high[side_by_side];
  int nan[side_by_side] = {}, masked[side_by_side] = {}, dropped[side_by_side] = {}, value[side_by_side] = {},
      pos_inf[side_by_side] = {};
  Index cells = 0;

  Lanes() {
    std::fill_n(low, side_by_side, largest);
    std::fill_n(high, side_by_side, -largest);
  }

  // The same as classify(), without branches.
  template <bool has_mask, bool has_kept>
  void add(Index lane, float v, float allowed, float kept, float leak) {
    const int number = v == v, finite = v - v == 0;
    const int shown = has_mask ? (allowed != 0) | (finite & (leak * v != 0)) : 1;
    const int keeps = has_kept ? kept != 0 : 1;
    const int is_value = finite & shown & keeps;
    low[lane] = (is_value & (v < low[lane])) != 0 ? v : low[lane];
    high[lane] = (is_value & (v > high[lane])) != 0 ? v : high[lane];
    nan[lane] += 1 - number;
    masked[lane] += number & (1 - shown);
    dropped[lane] += number & shown & (1 - keeps);
    value[lane] += is_value;
    pos_inf[lane] += number & shown & keeps & (v > largest);
  }

  template <bool has_mask, bool has_kept>
  void add_row(const float* x, const float* allowed, const float* kept, float leak, Index n) {
    const auto from = [](const float* row, bool has, Index i) { return has ? row[i] : 1.0F; };
    Index i = 0;
    for (; i + side_by_side <= n; i += side_by_side) {
      for (Index lane = 0; lane < side_by_side; ++lane) {
        add<has_mask, has_kept>(lane, x[i + lane], from(allowed, has_mask, i + lane), from(kept, has_kept, i + lane),
                                leak);
      }
    }
    for (; i < n; ++i)
      add<has_mask, has_kept>(i % side_by_side, x[i], from(allowed, has_mask, i), from(kept, has_kept, i), leak);
    cells += n;
  }

  Survey sum() const {
    Survey all;
    for (Index lane = 0; lane < side_by_side; ++lane) {
      all.low = std::min(all.low, low[lane]);
      all.high = std::max(all.high, high[lane]);
      at(all.kinds, CellKind::nan) += nan[lane];
      at(all.kinds, CellKind::masked) += masked[lane];
      at(all.kinds, CellKind::dropped) += dropped[lane];
      at(all.kinds, CellKind::value) += value[lane];
      at(all.kinds, CellKind::pos_inf) += pos_inf[lane];
    }
    Index others = cells;
    for (const Index count : all.kinds) others -= count;
    at(all.kinds, CellKind::neg_inf) = others;
    return all;
  }
};

Survey survey_rows(const MatrixView& matrix, const CellMasks& masks, Index first, Index end) {
  Survey all;
  Buffer values, allowed, kept;
  const float leak = masks.show_leaks ? 1.0F : 0.0F;
  const Index rows_a_count = std::max<Index>(1, cells_a_count / std::max<Index>(1, matrix.cols));
  for (Index row = first; row < end;) {
    Lanes lanes;
    for (const Index until = std::min(end, row + rows_a_count); row < until; ++row) {
      const float* const x = matrix.whole_row(row, values);
      const float* const a = masks.allowed ? masks.allowed->whole_row(row, allowed) : nullptr;
      const float* const k = masks.kept ? masks.kept->whole_row(row, kept) : nullptr;
      if (a && k) lanes.add_row<true, true>(x, a, k, leak, matrix.cols);
      else if (a) lanes.add_row<true, false>(x, a, k, leak, matrix.cols);
      else if (k) lanes.add_row<false, true>(x, a, k, leak, matrix.cols);
      else lanes.add_row<false, false>(x, a, k, leak, matrix.cols);
    }
    all.join(lanes.sum());
  }
  return all;
}

}  // namespace

void Survey::join(const Survey& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] += other.kinds[i];
}

Survey survey(const MatrixView& matrix, const CellMasks& masks, const std::stop_token& stop) {
  constexpr Index least_for_threads = Index{1} << 19, parts = 64;
  if (matrix.rows * matrix.cols < least_for_threads) return survey_rows(matrix, masks, 0, matrix.rows);
  Survey all;
  std::mutex mutex;
  std::atomic<Index> next{0};
  work_together([&](bool calling) {
    Survey own;
    for (Index part = next++; part < parts && !stop.stop_requested(); part = next++) {
      if (calling) breathe();
      own.join(survey_rows(matrix, masks, part * matrix.rows / parts, (part + 1) * matrix.rows / parts));
    }
    const std::lock_guard lock(mutex);
    all.join(own);
  });
  if (stop.stop_requested()) throw Cancelled();
  return all;
}

namespace {

bool rows_finite(const MatrixView& matrix) {
  for (Index row = 0; row < matrix.rows; ++row) {
    int not_finite = 0;
    for (Index col = 0; col < matrix.cols; ++col) {
      const float v = matrix(row, col);
      not_finite |= v - v != 0;  // the difference is NaN for NaN and ±∞
    }
    if (not_finite != 0) return false;
  }
  return true;
}

}  // namespace

Index largest_column(const MatrixView& matrix, Index row, std::optional<Index> besides) {
  Index largest = besides == 0 && matrix.cols > 1 ? 1 : 0;
  for (Index c = largest + 1; c < matrix.cols; ++c) {
    if (c != besides && matrix(row, c) > matrix(row, largest)) largest = c;
  }
  return largest;
}

// Uses all threads if there is much to read.
bool all_finite(const MatrixView& matrix) {
  if (matrix.rows * matrix.cols < 1 << 22) return rows_finite(matrix);
  std::atomic<Index> next{0};
  std::atomic<bool> finite{true};
  constexpr Index parts = 64;
  work_together([&](bool) {
    for (Index part = next++; part < parts && finite; part = next++) {
      const Index first = part * matrix.rows / parts, end = (part + 1) * matrix.rows / parts;
      if (!rows_finite(matrix.part(first, end - first, 0, matrix.cols))) finite = false;
    }
  });
  return finite;
}

KindCounts count_kinds(const MatrixView& matrix, const CellMasks& masks, const std::stop_token& stop) {
  if (const SourcePart part = part_of_source(matrix, 1); part.source) {
    const bool all = matrix.rows == part.source->rows() && matrix.cols == part.source->cols();
    return all ? part.source->kinds(part.matrix, stop) : survey(matrix, masks, stop).kinds;
  }
  if (!matrix.source) return survey(matrix, masks, stop).kinds;
  KindCounts counts{};  // head outputs, which are only numbers
  counts[static_cast<std::size_t>(CellKind::value)] = matrix.rows * matrix.cols;
  return counts;
}

}  // namespace headlight
