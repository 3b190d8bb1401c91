// Painting on the mask: cells set by hand over what the expression gives there, and what a brush does to them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

/// Cells of the mask set by hand over what the expression says: `queries` rows from `query` on, `keys` columns from
/// `key` on. -1 stands for "all" on the axes of batch and head. In a list, later ones lie over earlier ones.
struct PaintedCells {
  Index batch = -1, head = -1, query = 0, key = 0;
  bool attend = false;
  Index queries = 1, keys = 1;
  bool operator==(const PaintedCells&) const = default;
};

/// Whether any of these cells lie in that matrix.
inline bool lies_in(const PaintedCells& cells, Index batch, Index head) {
  return (cells.batch < 0 || cells.batch == batch) && (cells.head < 0 || cells.head == head);
}

enum class Paint : std::uint8_t {
  allow,
  forbid,
  give_back,  ///< to the expression: as if it had never been painted
};

struct PaintSizes {
  Index batch = 1, heads = 1, n_q = 1, n_k = 1;
};

/// `painted` after one stroke over `area` (whose `attend` is not looked at). What comes back lies within the sizes,
/// does not contradict itself, and is in one order with rows joined where they can be: the same picture is the same
/// list.
std::vector<PaintedCells> painted_over(const std::vector<PaintedCells>& painted, const PaintedCells& area, Paint paint,
                                       const PaintSizes& sizes);

/// The same without a stroke: what a list from a file means.
std::vector<PaintedCells> tidied(const std::vector<PaintedCells>& painted, const PaintSizes& sizes);

/// How many cells of one matrix are painted.
struct PaintedCount {
  Index allowed = 0, forbidden = 0;
};
PaintedCount painted_count(const std::vector<PaintedCells>& painted, Index batch, Index head, const PaintSizes& sizes);

}  // namespace headlight
