#include "core/base/tensor/matrix_source.h"

#include <atomic>

#include "core/base/parallel/jobs.h"

namespace headlight {
namespace {

constexpr Index numbers_kept = Index{8} << 20;  // for each source: 32 MB

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

MatrixSource::MatrixSource(Index rows, Index cols, Index at_once)
    : rows_(rows),
      cols_(cols),
      tile_rows_(std::max<Index>(1, at_once / std::max<Index>(1, cols))),
      tile_cols_(std::clamp<Index>(at_once, 1, std::max<Index>(1, cols))),
      id_(next_id()) {}

std::vector<BlockExtremes> MatrixSource::extremes(Index, std::span<const Index>, std::span<const Index>, Index,
                                                  const std::stop_token&) const {
  return {};
}

KindCounts MatrixSource::kinds(Index, const std::stop_token&) const { return {}; }

MatrixSource::Numbers MatrixSource::find(const Tile& tile) const {
  const std::lock_guard lock(mutex_);
  const auto found = tiles_.find(tile);
  return found == tiles_.end() ? nullptr : found->second;
}

void MatrixSource::keep(const Tile& tile, Numbers numbers) const {
  const std::lock_guard lock(mutex_);
  if (!tiles_.emplace(tile, std::move(numbers)).second) return;
  oldest_first_.push_back(tile);
  const auto most = static_cast<std::size_t>(std::max<Index>(2, numbers_kept / (tile_rows_ * tile_cols_)));
  while (oldest_first_.size() > most) {
    tiles_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }
}

MatrixSource::Numbers MatrixSource::find_or_make(const Tile& tile, Index wanted) const {
  if (Numbers there = find(tile)) return there;
  const Uninterrupted whole;
  Index count = 1;
  while (count < wanted && !find({tile.matrix, tile.row, tile.col + count})) ++count;
  const Index rows = rows_of(tile), col = tile.col * tile_cols_, cols = std::min(count * tile_cols_, cols_ - col);
  Buffer made(static_cast<std::size_t>(rows * cols));
  compute(tile.matrix, tile.row * tile_rows_, rows, col, cols, made.data());
  if (count == 1) {
    auto numbers = std::make_shared<const Buffer>(std::move(made));
    keep(tile, numbers);
    return numbers;
  }
  Numbers first;  // a tile of several columns has one row
  for (Index i = 0; i < count; ++i) {
    const Tile each{tile.matrix, tile.row, tile.col + i};
    const auto begin = made.begin() + i * tile_cols_;
    auto numbers = std::make_shared<const Buffer>(begin, begin + cols_of(each));
    if (!first) first = numbers;
    keep(each, std::move(numbers));
  }
  return first;
}

float MatrixSource::cell(Index at) const {
  struct Last {  // cells are mostly read next to each other
    std::uint64_t source = 0;
    Index row = 0, rows = 0, col = 0, cols = 0;
    Numbers numbers;
  };
  static thread_local Last last;
  const Index row = at / cols_, col = at % cols_;
  if (last.source != id_ || row < last.row || row >= last.row + last.rows || col < last.col ||
      col >= last.col + last.cols) {
    const Tile tile{row / rows_, row % rows_ / tile_rows_, col / tile_cols_};
    Numbers numbers = find_or_make(tile, 1);
    last = {id_,           tile.matrix * rows_ + tile.row * tile_rows_,
            rows_of(tile), tile.col * tile_cols_,
            cols_of(tile), std::move(numbers)};
  }
  return (*last.numbers)[static_cast<std::size_t>((row - last.row) * last.cols + col - last.col)];
}

void MatrixSource::read(Index at, Index count, float* to) const {
  while (count > 0) {
    const Index row = at / cols_, col = at % cols_, in_row = std::min(count, cols_ - col);
    const Tile tile{row / rows_, row % rows_ / tile_rows_, col / tile_cols_};
    const Index wanted = (col + in_row - 1) / tile_cols_ - tile.col + 1;
    const Numbers numbers = find_or_make(tile, wanted);
    const Index in_tile = col - tile.col * tile_cols_, part = std::min(in_row, cols_of(tile) - in_tile);
    const Index row_in_tile = row % rows_ - tile.row * tile_rows_;
    std::copy_n(numbers->begin() + row_in_tile * cols_of(tile) + in_tile, part, to);
    at += part;
    count -= part;
    to += part;
  }
}

}  // namespace headlight
