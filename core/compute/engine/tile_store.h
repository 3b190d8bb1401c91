// TileStore: one matrix at every resolution, in square tiles computed on a worker. A cell of a tile of level n stands
// for 2ⁿ × 2ⁿ cells of the matrix, as pool_blocks() computes it. First the whole matrix is computed as one coarse tile,
// then each wanted tile as a sample (one row of each block), then each tile from all of its cells. A newer request
// replaces an older one; no call waits for a tile.
#pragma once

#include <chrono>
#include <compare>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/tensor/tensor.h"
#include "core/rules/stage/pool.h"

namespace headlight {

/// Cells of a tile along each axis.
inline constexpr Index tile_side = 256;

/// The matrix: `values` at (batch, head) with its masks, as in MatrixQuad.
struct TiledMatrix {
  Tensor values, mask, kept;
  Index batch = 0, head = 0;
  bool show_leaks = false;
  float centre = 0;  ///< as for pool()
};
bool same(const TiledMatrix& a, const TiledMatrix& b);

struct TileAt {
  int level = 0;
  Index row = 0, col = 0;
  auto operator<=>(const TileAt&) const = default;
};
/// Tiles [row0, row1) × [col0, col1) of a level.
struct TileRange {
  int level = 0;
  Index row0 = 0, row1 = 0, col0 = 0, col1 = 0;
  bool operator==(const TileRange&) const = default;
};

/// [1, 1, rows, cols], at most tile_side along each axis. `mask` and `kept` are 0 where all cells of a block are masked
/// or dropped; undefined if there is no such block.
struct Tile {
  Tensor values, mask, kept;
  bool exact = false;  ///< computed from every cell
};

/// Progress of the request.
struct TileProgress {
  bool idle = true;   ///< nothing is left to compute
  bool exact = true;  ///< all wanted tiles are exact
  double share = 1;   ///< share of them that is exact, 0…1
};

/// The level at which one tile holds the whole matrix.
int coarsest_level(Index rows, Index cols);

class TileStore {
 public:
  /// `wake` is called from another thread when tiles are added and, about 20 times a second, when progress was made.
  explicit TileStore(std::function<void()> wake = {});
  ~TileStore();
  TileStore(const TileStore&) = delete;
  TileStore& operator=(const TileStore&) = delete;

  /// Call in each frame that shows tiles. Tiles of another matrix are dropped.
  void want(const TiledMatrix& matrix, const TileRange& tiles);
  /// Call after each frame: everything is freed if nothing was requested in it.
  void end_frame();

  /// Null if it is not computed yet.
  std::shared_ptr<const Tile> find(const TileAt& at) const;
  TileProgress progress() const;
  /// Increases with every tile.
  std::uint64_t version() const;
  /// Blocks until idle; for pictures and tests.
  void wait();

 private:
  using Clock = std::chrono::steady_clock;
  struct Wish {
    TiledMatrix matrix;
    TileRange tiles;
    Clock::time_point since;
  };
  struct Kept {
    std::shared_ptr<const Tile> tile;
    std::uint64_t used;  ///< the last request that used it
  };
  /// Neighbouring tiles of one row that are being computed.
  struct Strip {
    TileAt first;
    Index tiles = 0;
    bool sample = false;
    TiledMatrix matrix;
    Index rows = 0, cols = 0;  ///< cells of the level
    Index done = 0;            ///< finished rows, in `cells`
    PooledMatrix cells;
    /// A single step suffices: it reads one row of each block.
    bool is_quick() const { return sample || first.level == 0; }
    bool is_as(const Strip& other) const;
  };
  enum class Step : std::uint8_t { made, nothing, rests };

  void work(const std::stop_token& quit);
  /// Does the next step of the request; releases `lock` meanwhile.
  Step take_step(std::unique_lock<std::mutex>& lock);
  std::optional<Strip> next_strip() const;
  void advance(Strip& strip, std::unique_lock<std::mutex>& lock);
  void publish(const Strip& strip);
  void add(const TileAt& at, Tile tile);
  void make_parent(const TileAt& at);
  void let_go_of_old();
  void tell(bool at_once);
  /// While the user pans and zooms, samples suffice; longer work begins after this pause.
  static constexpr std::chrono::milliseconds rest{120};
  bool is_there(const TileAt& at, bool exact) const;

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Wish> wish_;
  std::uint64_t wishes_ = 0, version_ = 0;
  bool wanted_ = false;  ///< in this frame
  bool failed_ = false;  ///< the request cannot be fulfilled
  bool idle_ = true;     ///< everything requested is there
  std::optional<Strip> strip_;
  double under_way_ = 0;   ///< size of the strip in progress, in tiles
  Index rows_a_step_ = 8;  ///< chosen so that a step takes about 20 ms
  mutable std::map<TileAt, Kept> tiles_;
  Clock::time_point woken_{};
  std::jthread worker_;
};

}  // namespace headlight
