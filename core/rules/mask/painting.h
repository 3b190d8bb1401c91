// Painted cells of the mask, and brush strokes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// Cells that override the expression: `queries` rows from `query` on, `keys` columns from `key` on. -1 means "all" for
/// batch and head. In a list, later entries override earlier ones.
struct PaintedCells {
  Index batch = -1, head = -1, query = 0, key = 0;
  bool attend = false;
  Index queries = 1, keys = 1;
  bool operator==(const PaintedCells&) const = default;
};

/// Whether any of these cells are in that matrix.
inline bool lies_in(const PaintedCells& cells, Index batch, Index head) {
  return (cells.batch < 0 || cells.batch == batch) && (cells.head < 0 || cells.head == head);
}

enum class Paint : std::uint8_t {
  allow,
  forbid,
  give_back,  ///< removes painted cells
};

struct PaintSizes {
  Index batch = 1, heads = 1, n_q = 1, n_k = 1;
};

/// `painted` after a stroke over `area` (its `attend` is ignored). The result lies within the sizes, has no overlaps,
/// and is sorted with rows merged where possible, so that equal pictures are equal lists.
std::vector<PaintedCells> painted_over(const std::vector<PaintedCells>& painted, const PaintedCells& area, Paint paint,
                                       const PaintSizes& sizes);

/// The same without a stroke, for a list from a file.
std::vector<PaintedCells> tidied(const std::vector<PaintedCells>& painted, const PaintSizes& sizes);

/// The number of painted cells of one matrix.
struct PaintedCount {
  Index allowed = 0, forbidden = 0;
};
PaintedCount painted_count(const std::vector<PaintedCells>& painted, Index batch, Index head, const PaintSizes& sizes);

}  // namespace headlight
