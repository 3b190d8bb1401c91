// Matrices whose numbers are computed when somebody asks for them.
//
// A stage of 131,072 tokens has 64 GB a head. A Tensor can stand for such numbers without holding them: its cells and
// rows are asked of a MatrixSource, which computes them and keeps those of the last reads. Whoever would go through
// all of a matrix asks the source for something shorter instead: the extremes of blocks, or how many cells are what.
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

#include "core/tensor/tensor.h"

namespace headlight {

/// What a cell is, before any colour: a value, or one of the states that no colour of the map stands for.
enum class CellKind : std::uint8_t { value, masked, neg_inf, pos_inf, nan, dropped };
inline constexpr std::size_t cell_kind_count = 6;
/// How many cells are of each kind, by static_cast<std::size_t>(kind).
using KindCounts = std::array<Index, cell_kind_count>;

/// What a block of cells holds: its least and its largest value, neither masked nor infinite, and what else there is.
struct BlockExtremes {
  float low, high;  ///< low > high where no cell is a value
  bool nan = false, masked = false;
};

/// Equal matrices of rows × cols numbers, one after the other in row-major order. May be read from any thread. Whoever
/// is asked to stop throws Cancelled.
class MatrixSource {
 public:
  /// `at_once`: about how many neighbouring numbers are computed together.
  MatrixSource(Index rows, Index cols, Index at_once = 4096);
  virtual ~MatrixSource() = default;
  MatrixSource(const MatrixSource&) = delete;
  MatrixSource& operator=(const MatrixSource&) = delete;

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  /// The number at a place, counted over all matrices.
  float cell(Index at) const;
  /// `count` numbers from a place on.
  void read(Index at, Index count, float* to) const;

  /// Makes what the number at a place needs beside itself, once for many numbers; reading does too, but cannot be
  /// stopped.
  virtual void prepare([[maybe_unused]] Index at, [[maybe_unused]] const std::stop_token& stop) const {}

  /// Whether extremes() and kinds() know more than the cells tell.
  virtual bool knows_blocks() const { return false; }
  /// The blocks that the cuts divide a matrix into, by rows: (row_cuts.size() − 1) · (col_cuts.size() − 1) of them. Of
  /// each band of rows at most `rows_a_band` are looked at, evenly spread; 0: every one, which makes it exact.
  virtual std::vector<BlockExtremes> extremes(Index matrix, std::span<const Index> row_cuts,
                                              std::span<const Index> col_cuts, Index rows_a_band,
                                              const std::stop_token& stop) const;
  /// How many cells of a matrix are of each kind, where values are finite.
  virtual KindCounts kinds(Index matrix, const std::stop_token& stop) const;

 protected:
  /// Rows [row, row + rows) of a matrix, of each columns [col, col + cols), one row after the other. Several rows are
  /// asked for whole.
  virtual void compute(Index matrix, Index row, Index rows, Index col, Index cols, float* to) const = 0;

 private:
  // Some whole rows of a matrix where they are short, else a part of one row.
  struct Tile {
    Index matrix, row, col;  // rows and columns in tiles
    auto operator<=>(const Tile&) const = default;
  };
  using Numbers = std::shared_ptr<const Buffer>;

  Index rows_of(const Tile& tile) const { return std::min(tile_rows_, rows_ - tile.row * tile_rows_); }
  Index cols_of(const Tile& tile) const { return std::min(tile_cols_, cols_ - tile.col * tile_cols_); }
  // `wanted` tiles side by side are computed together where none of them is there.
  Numbers find_or_make(const Tile& tile, Index wanted) const;
  Numbers find(const Tile& tile) const;
  void keep(const Tile& tile, Numbers numbers) const;

  Index rows_, cols_, tile_rows_, tile_cols_;
  std::uint64_t id_;
  mutable std::mutex mutex_;
  mutable std::map<Tile, Numbers> tiles_;
  mutable std::deque<Tile> oldest_first_;
};

/// A view as a part of a matrix that is computed as it is read.
struct SourcePart {
  const MatrixSource* source = nullptr;
  Index matrix = 0, row = 0, col = 0;
};

/// Null where the numbers are in memory, or their source knows no more than its cells, or they lie otherwise than by
/// rows, or there are so few that they are read in no time.
inline SourcePart part_of_source(const MatrixView& view, Index fewest_cells = 1 << 16) {
  const MatrixSource* const source = view.source;
  if (!source || !source->knows_blocks() || view.rows * view.cols < fewest_cells) return {};
  if (view.col_stride != 1 || view.row_stride != source->cols()) return {};
  const Index cells = source->rows() * source->cols(), inside = view.first % cells;
  return {source, view.first / cells, inside / source->cols(), inside % source->cols()};
}

}  // namespace headlight
