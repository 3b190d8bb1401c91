#include "core/stage/extent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/stage/survey.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

// Of a matrix that is computed as it is read; 0 rows a band: all of them.
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
    // A sample of rows, too, where only the rows can be asked for.
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

}  // namespace headlight
