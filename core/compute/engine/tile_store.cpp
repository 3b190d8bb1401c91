#include "core/compute/engine/tile_store.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace headlight {
namespace {

using namespace std::chrono_literals;

constexpr auto between_tile_wakes = 50ms;
constexpr auto step_least = 10ms, step_most = 40ms;
constexpr std::size_t tiles_kept = 384;  // each of 256 to 512 KB

/// Pools a rectangle of cells of the matrix. `sample`: read only one row of each block.
PooledMatrix pool_part(const TiledMatrix& of, Index row, Index rows, Index col, Index cols, Index side, bool sample) {
  const MatrixView values = of.values.matrix(of.batch, of.head);
  CellMasks masks;
  masks.show_leaks = of.show_leaks;
  Tensor mask, kept;  // a broadcast view needs its tensor alive
  if (of.mask.defined()) {
    mask = of.mask.expand(of.values.shape());
    masks.allowed = mask.matrix(of.batch, of.head).part(row, rows, col, cols);
  }
  if (of.kept.defined()) {
    kept = of.kept.expand(of.values.shape());
    masks.kept = kept.matrix(of.batch, of.head).part(row, rows, col, cols);
  }
  return pool_blocks(values.part(row, rows, col, cols), masks, side, of.centre, sample ? 1 : 0);
}

/// The tile of the pooled cells that begin at (row, col).
Tile tile_of(const PooledMatrix& cells, Index row, Index col, Index rows, Index cols, bool exact) {
  const auto count = static_cast<std::size_t>(rows * cols);
  Buffer values(count), mask, kept;
  const auto set_zero = [count](Buffer& buffer, std::size_t at) {
    if (buffer.empty()) buffer.assign(count, 1.0F);
    buffer[at] = 0;
  };
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) {
      const auto at = static_cast<std::size_t>(r * cols + c);
      const CellKind kind = cells.kind(row + r, col + c);
      constexpr float infinity = std::numeric_limits<float>::infinity();
      values[at] = kind == CellKind::value     ? cells.value(row + r, col + c)
                   : kind == CellKind::nan     ? std::numeric_limits<float>::quiet_NaN()
                   : kind == CellKind::pos_inf ? infinity
                   : kind == CellKind::neg_inf ? -infinity
                                               : 0.0F;
      if (kind == CellKind::masked) set_zero(mask, at);
      if (kind == CellKind::dropped) set_zero(kept, at);
    }
  }
  const Shape shape{1, 1, rows, cols};
  const auto tensor = [&](Buffer& buffer) { return buffer.empty() ? Tensor() : Tensor(shape, std::move(buffer)); };
  return {tensor(values), tensor(mask), tensor(kept), exact};
}

Index cells_at(Index count, int level) { return ((count - 1) >> level) + 1; }
Index tiles_at(Index count, int level) { return (cells_at(count, level) + tile_side - 1) / tile_side; }

}  // namespace

bool same(const TiledMatrix& a, const TiledMatrix& b) {
  return identical(a.values, b.values) && identical(a.mask, b.mask) && identical(a.kept, b.kept) &&
         a.batch == b.batch && a.head == b.head && a.show_leaks == b.show_leaks && a.centre == b.centre;
}

int coarsest_level(Index rows, Index cols) {
  int level = 0;
  while (cells_at(std::max(rows, cols), level) > tile_side) ++level;
  return level;
}

bool TileStore::Strip::is_as(const Strip& other) const {
  return first == other.first && tiles == other.tiles && sample == other.sample && same(matrix, other.matrix);
}

void TileStore::want(const TiledMatrix& matrix, const TileRange& tiles) {
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  const bool other = !wish_ || !same(wish_->matrix, matrix);
  if (!other && wish_->tiles == tiles) return;
  if (other) tiles_.clear();
  wish_ = Wish{matrix, tiles, Clock::now()};
  ++wishes_;
  failed_ = idle_ = false;
  under_way_ = 0;
  changed_.notify_all();
}

void TileStore::end_frame() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(wanted_, false) || !wish_) return;
  wish_.reset();
  tiles_.clear();
  under_way_ = 0;
}

std::shared_ptr<const Tile> TileStore::find(const TileAt& at) const {
  const std::lock_guard lock(mutex_);
  const auto found = tiles_.find(at);
  if (found == tiles_.end()) return nullptr;
  found->second.used = wishes_;
  return found->second.tile;
}

bool TileStore::is_there(const TileAt& at, bool exact) const {
  const auto found = tiles_.find(at);
  return found != tiles_.end() && (found->second.tile->exact || !exact);
}

TileProgress TileStore::progress() const {
  const std::lock_guard lock(mutex_);
  if (!wish_) return {};
  const TileRange& t = wish_->tiles;
  double exact = 0;
  for (Index row = t.row0; row < t.row1; ++row) {
    for (Index col = t.col0; col < t.col1; ++col) exact += is_there({t.level, row, col}, true) ? 1 : 0;
  }
  const auto all = static_cast<double>((t.row1 - t.row0) * (t.col1 - t.col0));
  return {idle_, exact >= all, all > 0 ? std::min(1.0, (exact + under_way_) / all) : 1};
}

std::uint64_t TileStore::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

// The next row of tiles to make; nothing if all requested tiles exist.
std::optional<TileStore::Strip> TileStore::next_strip() const {
  if (!wish_ || failed_) return std::nullopt;
  const MatrixView matrix = wish_->matrix.values.matrix(wish_->matrix.batch, wish_->matrix.head);
  const auto strip = [&](const TileAt& first, Index tiles, bool sample) {
    Strip made{first, tiles, sample && first.level > 0, wish_->matrix, 0, 0, 0, {}};
    made.rows = std::min(tile_side, cells_at(matrix.rows, first.level) - first.row * tile_side);
    made.cols = std::min(tiles * tile_side, cells_at(matrix.cols, first.level) - first.col * tile_side);
    return made;
  };
  const TileAt whole{coarsest_level(matrix.rows, matrix.cols), 0, 0};
  if (!is_there(whole, false)) return strip(whole, 1, true);
  const TileRange& t = wish_->tiles;
  for (const bool exact : {false, true}) {
    for (Index i = 0; i < t.row1 - t.row0; ++i) {  // in order from the middle of the view outwards
      const Index middle = (t.row0 + t.row1 - 1) / 2, row = i % 2 == 1 ? middle + (i + 1) / 2 : middle - i / 2;
      Index first = t.col1, end = t.col0;
      for (Index col = t.col0; col < t.col1; ++col) {
        if (is_there({t.level, row, col}, exact)) continue;
        first = std::min(first, col);
        end = col + 1;
      }
      if (first < end) return strip({t.level, row, first}, end - first, !exact);
    }
  }
  return std::nullopt;
}

// Does one step of a strip, with the lock released.
void TileStore::advance(Strip& strip, std::unique_lock<std::mutex>& lock) {
  const Index rows = strip.is_quick() ? strip.rows : std::min(rows_a_step_, strip.rows - strip.done);
  lock.unlock();
  const Clock::time_point start = Clock::now();
  const Index side = Index{1} << strip.first.level;
  const MatrixView matrix = strip.matrix.values.matrix(strip.matrix.batch, strip.matrix.head);
  const Index row = (strip.first.row * tile_side + strip.done) * side, col = strip.first.col * tile_side * side;
  PooledMatrix made = pool_part(strip.matrix, row, std::min(rows * side, matrix.rows - row), col,
                                std::min(strip.cols * side, matrix.cols - col), side, strip.sample);
  const Clock::duration took = Clock::now() - start;
  if (strip.done == 0) {
    strip.cells = std::move(made);
  } else {
    strip.cells.values.insert(strip.cells.values.end(), made.values.begin(), made.values.end());
    strip.cells.kinds.insert(strip.cells.kinds.end(), made.kinds.begin(), made.kinds.end());
    strip.cells.rows += made.rows;
  }
  strip.done += rows;
  lock.lock();
  if (strip.is_quick()) return;
  if (took < step_least) rows_a_step_ = std::min(tile_side, rows_a_step_ * 2);
  if (took > step_most) rows_a_step_ = std::max<Index>(1, rows_a_step_ / 2);
}

void TileStore::publish(const Strip& strip) {
  for (Index i = 0; i < strip.tiles; ++i) {
    const Index cols = std::min(tile_side, strip.cols - i * tile_side);
    add({strip.first.level, strip.first.row, strip.first.col + i},
        tile_of(strip.cells, 0, i * tile_side, strip.rows, cols, !strip.sample));
  }
  let_go_of_old();
}

void TileStore::add(const TileAt& at, Tile tile) {
  const bool exact = tile.exact;
  tiles_[at] = {std::make_shared<const Tile>(std::move(tile)), wishes_};
  ++version_;
  if (exact) make_parent({at.level + 1, at.row / 2, at.col / 2});
}

// If all parts of a coarser tile are exact, it is made from them without reading the matrix again.
void TileStore::make_parent(const TileAt& at) {
  const MatrixView matrix = wish_->matrix.values.matrix(wish_->matrix.batch, wish_->matrix.head);
  if (at.level > coarsest_level(matrix.rows, matrix.cols) || is_there(at, true)) return;
  const Index rows = std::min(tile_side, cells_at(matrix.rows, at.level) - at.row * tile_side);
  const Index cols = std::min(tile_side, cells_at(matrix.cols, at.level) - at.col * tile_side);
  PooledMatrix all{rows, cols, Buffer(static_cast<std::size_t>(rows * cols)),
                   std::vector<CellKind>(static_cast<std::size_t>(rows * cols))};
  for (Index row = 2 * at.row; row < std::min(2 * at.row + 2, tiles_at(matrix.rows, at.level - 1)); ++row) {
    for (Index col = 2 * at.col; col < std::min(2 * at.col + 2, tiles_at(matrix.cols, at.level - 1)); ++col) {
      if (!is_there({at.level - 1, row, col}, true)) return;
      const Tile& finer = *tiles_.at({at.level - 1, row, col}).tile;
      CellMasks masks;
      if (finer.mask.defined()) masks.allowed = finer.mask.matrix();
      if (finer.kept.defined()) masks.kept = finer.kept.matrix();
      const PooledMatrix quarter = pool_blocks(finer.values.matrix(), masks, 2, wish_->matrix.centre, 0);
      const Index down = (row % 2) * tile_side / 2, right = (col % 2) * tile_side / 2;
      for (Index r = 0; r < quarter.rows; ++r) {
        const Index to = (down + r) * cols + right;
        std::copy_n(quarter.values.begin() + r * quarter.cols, quarter.cols, all.values.begin() + to);
        std::copy_n(quarter.kinds.begin() + r * quarter.cols, quarter.cols, all.kinds.begin() + to);
      }
    }
  }
  add(at, tile_of(all, 0, 0, rows, cols, true));
}

void TileStore::let_go_of_old() {
  while (tiles_.size() > tiles_kept) {
    const auto oldest = std::ranges::min_element(tiles_, {}, [](const auto& each) { return each.second.used; });
    if (oldest->second.used == wishes_) return;
    tiles_.erase(oldest);
  }
}

void TileStore::tell(bool at_once) {
  const Clock::time_point now = Clock::now();
  if (!at_once && now - woken_ < between_tile_wakes) return;
  woken_ = now;
  wake_();
}

TileStore::Step TileStore::take_step(std::unique_lock<std::mutex>& lock) {
  std::optional<Strip> next = next_strip();
  if (!next) {
    strip_.reset();
    if (!std::exchange(idle_, true) && wish_) tell(true);
    return Step::nothing;
  }
  if (!next->is_quick() && Clock::now() - wish_->since < rest) return Step::rests;
  if (!strip_ || !strip_->is_as(*next)) strip_ = std::move(next);
  try {
    advance(*strip_, lock);
  } catch (...) {  // out of memory: the tiles that exist are kept
    if (!lock.owns_lock()) lock.lock();
    failed_ = true;
    return Step::made;
  }
  if (!wish_ || !same(wish_->matrix, strip_->matrix)) {
    strip_.reset();
    return Step::made;
  }
  const bool finished = strip_->done >= strip_->rows;
  under_way_ = finished ? 0 : static_cast<double>(strip_->tiles * strip_->done) / static_cast<double>(strip_->rows);
  if (finished) {
    publish(*strip_);
    strip_.reset();
  }
  tell(finished);
  return Step::made;
}

}  // namespace headlight
