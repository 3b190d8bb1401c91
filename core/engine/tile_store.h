// TileStore: one matrix at every resolution, in square tiles that are made off the frame.
//
// A tile of level n has cells that each stand for 2ⁿ × 2ⁿ of the matrix, as pool_blocks() makes them. What is wanted
// comes in the order of the eye: the whole in one coarse tile, then each wanted tile as a sample (one row of each
// block), at last each from all of its cells. The newest wish wins; nothing here makes a frame wait.
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

#include "core/stage/pool.h"
#include "core/tensor/tensor.h"

namespace headlight {

/// Cells of a tile, along both axes.
inline constexpr Index tile_side = 256;

/// What the tiles are of: `values` at (batch, head) and what lies over it, as in MatrixQuad.
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

/// [1, 1, rows, cols], at most tile_side along an axis. `mask` and `kept` are 0 where all cells of a block are masked
/// or dropped, and undefined where that is nowhere so.
struct Tile {
  Tensor values, mask, kept;
  bool exact = false;  ///< every cell was looked at
};

/// How far what is wanted has come.
struct TileProgress {
  bool settled = true;  ///< there is nothing more to make
  bool exact = true;    ///< of what is wanted
  double share = 1;     ///< of it that is exact, 0…1
};

/// The level whose one tile holds the whole matrix.
int coarsest_level(Index rows, Index cols);

class TileStore {
 public:
  /// `wake` is called from another thread when there are new tiles and, some 20 times a second, when progress moved.
  explicit TileStore(std::function<void()> wake = {});
  ~TileStore();
  TileStore(const TileStore&) = delete;
  TileStore& operator=(const TileStore&) = delete;

  /// Once a frame that shows tiles. Those of another matrix are forgotten.
  void want(const TiledMatrix& matrix, const TileRange& tiles);
  /// After a frame: where nothing was wanted in it, all is let go of.
  void end_frame();

  /// Null while it is not made.
  std::shared_ptr<const Tile> find(const TileAt& at) const;
  TileProgress progress() const;
  /// Grows with every tile that is made.
  std::uint64_t version() const;
  /// Blocks until it is settled; for pictures and tests.
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
    std::uint64_t used;  ///< by which wish
  };
  /// Neighbouring tiles of one row, on their way.
  struct Strip {
    TileAt first;
    Index tiles = 0;
    bool sample = false;
    TiledMatrix matrix;
    Index rows = 0, cols = 0;  ///< cells of the level
    Index done = 0;            ///< rows of them, in `cells`
    PooledMatrix cells;
    /// One step is enough: it looks at one row of each block.
    bool is_quick() const { return sample || first.level == 0; }
    bool is_as(const Strip& other) const;
  };
  enum class Step : std::uint8_t { made, nothing, rests };

  void work(const std::stop_token& quit);
  /// The next step of what is wanted, with `lock` let go of meanwhile.
  Step take_step(std::unique_lock<std::mutex>& lock);
  std::optional<Strip> next_strip() const;
  void advance(Strip& strip, std::unique_lock<std::mutex>& lock);
  void publish(const Strip& strip);
  void add(const TileAt& at, Tile tile);
  void make_parent(const TileAt& at);
  void let_go_of_old();
  void tell(bool at_once);
  /// While one pans and zooms, samples are enough: what takes longer begins when the picture rests.
  static constexpr std::chrono::milliseconds rest{120};
  bool is_there(const TileAt& at, bool exact) const;

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Wish> wish_;
  std::uint64_t wishes_ = 0, version_ = 0;
  bool wanted_ = false;  ///< in this frame
  bool failed_ = false;  ///< the wish cannot be fulfilled
  bool idle_ = true;     ///< all that is wanted is there
  std::optional<Strip> strip_;
  double under_way_ = 0;   ///< tiles' worth of the strip that is being made
  Index rows_a_step_ = 8;  ///< so that a step takes some 20 ms
  mutable std::map<TileAt, Kept> tiles_;
  Clock::time_point woken_{};
  std::jthread worker_;
};

}  // namespace headlight
