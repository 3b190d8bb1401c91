// Matrices whose numbers are computed when they are read.
//
// A stage of 131,072 tokens takes 64 GB per head. A Tensor can represent such numbers without storing them: it reads
// them from a MatrixSource, which computes them and caches those of the last reads. To avoid reading a whole matrix,
// ask the source for a summary: the extremes of blocks, or the number of cells of each kind.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// The kind of a cell, before any colour: a value, or a state that the colour map has no colour for.
enum class CellKind : std::uint8_t { value, masked, neg_inf, pos_inf, nan, dropped };
inline constexpr std::size_t cell_kind_count = 6;
/// The number of cells of each kind, by static_cast<std::size_t>(kind).
using KindCounts = std::array<Index, cell_kind_count>;

/// Summary of a block of cells: its smallest and largest finite, unmasked value, and whether other kinds occur.
struct BlockExtremes {
  float low, high;  ///< low > high if no cell is a value
  bool nan = false, masked = false;
};

/// Matrices of the same size, rows × cols, one after the other in row-major order. Can be read from any thread.
/// Functions that take a stop token throw Cancelled when it asks to stop.
class MatrixSource {
 public:
  /// `at_once`: about how many neighbouring numbers are computed together.
  MatrixSource(Index rows, Index cols, Index at_once = 4096);
  virtual ~MatrixSource() = default;
  MatrixSource(const MatrixSource&) = delete;
  MatrixSource& operator=(const MatrixSource&) = delete;

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  /// The number at an index, counted over all matrices.
  float cell(Index at) const;
  /// `count` numbers from an index on.
  void read(Index at, Index count, float* to) const;

  /// Computes in advance what reading the number at an index depends on. Reading does this too, but cannot be stopped.
  virtual void prepare([[maybe_unused]] Index at, [[maybe_unused]] const std::stop_token& stop) const {}

  /// Whether extremes() and kinds() are faster or know more than reading the cells.
  virtual bool knows_blocks() const { return false; }
  /// The extremes of each block into which the cuts divide a matrix, row by row: (row_cuts.size() − 1) ·
  /// (col_cuts.size() − 1) of them. At most `rows_a_band` evenly spaced rows of each band are read; 0: all rows, which
  /// is exact.
  virtual std::vector<BlockExtremes> extremes(Index matrix, std::span<const Index> row_cuts,
                                              std::span<const Index> col_cuts, Index rows_a_band,
                                              const std::stop_token& stop) const;
  /// The number of cells of each kind in a matrix, for finite values.
  virtual KindCounts kinds(Index matrix, const std::stop_token& stop) const;

 protected:
  /// Computes columns [col, col + cols) of rows [row, row + rows) of a matrix, row by row. If rows > 1, the rows are
  /// whole.
  virtual void compute(Index matrix, Index row, Index rows, Index col, Index cols, float* to) const = 0;

 private:
  // Some whole rows of a matrix if rows are short, otherwise a part of one row.
  struct Tile {
    Index matrix, row, col;  // rows and columns in tiles
    auto operator<=>(const Tile&) const = default;
  };
  using Numbers = std::shared_ptr<const Buffer>;

  Index rows_of(const Tile& tile) const { return std::min(tile_rows_, rows_ - tile.row * tile_rows_); }
  Index cols_of(const Tile& tile) const { return std::min(tile_cols_, cols_ - tile.col * tile_cols_); }
  // Computes up to `wanted` adjacent tiles together if none of them is cached.
  Numbers find_or_make(const Tile& tile, Index wanted) const;
  Numbers find(const Tile& tile) const;
  void keep(const Tile& tile, Numbers numbers) const;

  Index rows_, cols_, tile_rows_, tile_cols_;
  std::uint64_t id_;
  mutable std::mutex mutex_;
  mutable std::map<Tile, Numbers> tiles_;
  mutable std::deque<Tile> oldest_first_;
};

/// A view as part of a matrix that is computed when it is read.
struct SourcePart {
  const MatrixSource* source = nullptr;
  Index matrix = 0, row = 0, col = 0;
};

/// Null if the numbers are in memory, the source has no block summaries, the view is not in row-major order, or the
/// view is so small that reading it is fast.
inline SourcePart part_of_source(const MatrixView& view, Index fewest_cells = 1 << 16) {
  const MatrixSource* const source = view.source;
  if (!source || !source->knows_blocks() || view.rows * view.cols < fewest_cells) return {};
  if (view.col_stride != 1 || view.row_stride != source->cols()) return {};
  const Index cells = source->rows() * source->cols(), inside = view.first % cells;
  return {source, view.first / cells, inside / source->cols(), inside % source->cols()};
}

}  // namespace headlight
