#include "core/compute/engine/tile_store.h"

#include <cmath>

#include "core/base/tensor/sampler.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

/// A matrix with masked, dropped and infinite cells and NaN.
TiledMatrix mixed(Index rows, Index cols) {
  const Shape shape{1, 2, rows, cols};
  const auto count = static_cast<std::size_t>(element_count(shape));
  const Tensor normal = Sampler(3, "tiles").normal(shape);
  Buffer values(normal.values().begin(), normal.values().end());
  for (std::size_t i = 0; i < count; i += 977) values[i] = i % 2 == 0 ? NAN : i % 3 == 0 ? INFINITY : -INFINITY;
  Buffer mask(static_cast<std::size_t>(rows * cols)), kept(count, 1.0F);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) mask[static_cast<std::size_t>(r * cols + c)] = c <= r + 100 ? 1.0F : 0.0F;
  }
  for (std::size_t i = 0; i < count; i += 5) kept[i] = 0;
  TiledMatrix matrix;
  matrix.values = Tensor(shape, std::move(values));
  matrix.mask = Tensor({rows, cols}, std::move(mask));
  matrix.kept = Tensor(shape, std::move(kept));
  matrix.head = 1;
  return matrix;
}

TileRange all_tiles(Index rows, Index cols, int level) {
  const Index side = tile_side << level;
  return {level, 0, (rows + side - 1) / side, 0, (cols + side - 1) / side};
}

/// The expected value of a block, found cell by cell, without pool_blocks().
std::pair<CellKind, float> expected_block(const TiledMatrix& of, Index row, Index col, Index side) {
  const MatrixView values = of.values.matrix(of.batch, of.head);
  const Tensor mask = of.mask.expand(of.values.shape());
  CellMasks masks;
  masks.allowed = mask.matrix(of.batch, of.head);
  masks.kept = of.kept.matrix(of.batch, of.head);
  constexpr CellKind order[] = {CellKind::nan,    CellKind::pos_inf, CellKind::value,
                                CellKind::masked, CellKind::dropped, CellKind::neg_inf};
  for (const CellKind kind : order) {
    bool found = false;
    float most = 0;
    for (Index r = row; r < std::min(row + side, values.rows); ++r) {
      for (Index c = col; c < std::min(col + side, values.cols); ++c) {
        if (classify(values, masks, r, c) != kind) continue;
        const float v = values(r, c);
        if (!found || std::abs(v) > std::abs(most) || (std::abs(v) == std::abs(most) && v > most)) most = v;
        found = true;
      }
    }
    if (found) return {kind, most};
  }
  return {};
}

void check_against_cells(const TileStore& store, const TiledMatrix& of, Index rows, Index cols, int level) {
  const Index side = Index{1} << level;
  const TileRange all = all_tiles(rows, cols, level);
  for (Index tr = 0; tr < all.row1; ++tr) {
    for (Index tc = 0; tc < all.col1; ++tc) {
      const auto tile = store.find({level, tr, tc});
      REQUIRE(tile);
      REQUIRE(tile->exact);
      const MatrixView cells = tile->values.matrix();
      CellMasks masks;
      if (tile->mask.defined()) masks.allowed = tile->mask.matrix();
      if (tile->kept.defined()) masks.kept = tile->kept.matrix();
      int wrong = 0;
      for (Index r = 0; r < cells.rows; ++r) {
        for (Index c = 0; c < cells.cols; ++c) {
          const auto [kind, value] = expected_block(of, (tr * tile_side + r) * side, (tc * tile_side + c) * side, side);
          wrong += classify(cells, masks, r, c) != kind || (kind == CellKind::value && cells(r, c) != value) ? 1 : 0;
        }
      }
      CHECK(wrong == 0);
      CHECK(cells.rows == std::min(tile_side, (rows + side - 1) / side - tr * tile_side));
      CHECK(cells.cols == std::min(tile_side, (cols + side - 1) / side - tc * tile_side));
    }
  }
}

}  // namespace

TEST_CASE("a tile has the pooled value of each of its blocks, at every level and at uneven edges") {
  constexpr Index rows = 601, cols = 1030;
  const TiledMatrix matrix = mixed(rows, cols);
  for (int level = 0; level <= coarsest_level(rows, cols); ++level) {
    TileStore store;
    store.want(matrix, all_tiles(rows, cols, level));
    store.wait();
    INFO("level " << level);
    CHECK(store.progress().idle);
    CHECK(store.progress().exact);
    CHECK(store.progress().share == 1.0);
    check_against_cells(store, matrix, rows, cols, level);
  }
}

TEST_CASE("coarser tiles are made from exact ones without reading the matrix again") {
  constexpr Index rows = 700, cols = 515;
  const TiledMatrix matrix = mixed(rows, cols);
  TileStore store;
  store.want(matrix, all_tiles(rows, cols, 0));
  store.wait();
  for (int level = 1; level <= coarsest_level(rows, cols); ++level)
    check_against_cells(store, matrix, rows, cols, level);
}

TEST_CASE("the coarsest level is the first whose one tile holds the matrix") {
  CHECK(coarsest_level(1, 1) == 0);
  CHECK(coarsest_level(256, 256) == 0);
  CHECK(coarsest_level(257, 3) == 1);
  CHECK(coarsest_level(131072, 131072) == 9);
}

TEST_CASE("tiles that no frame asks for are freed, and so are those of another matrix") {
  const TiledMatrix matrix = mixed(300, 300);
  TileStore store;
  store.want(matrix, {0, 0, 1, 0, 1});
  store.wait();
  REQUIRE(store.find({0, 0, 0}));
  store.end_frame();
  CHECK(store.find({0, 0, 0}));
  store.end_frame();  // this frame shows no map
  CHECK_FALSE(store.find({0, 0, 0}));
  CHECK(store.progress().idle);

  store.want(matrix, {0, 0, 1, 0, 1});
  store.wait();
  const auto before = store.find({0, 0, 0});
  TiledMatrix other = matrix;
  other.head = 0;
  store.want(other, {0, 0, 1, 0, 1});
  store.wait();
  const auto after = store.find({0, 0, 0});
  REQUIRE(after);
  CHECK(after->values.matrix()(3, 1) == other.values.matrix(0, 0)(3, 1));
  CHECK(before->values.matrix()(3, 1) == matrix.values.matrix(0, 1)(3, 1));
}

TEST_CASE("the newest request is served, however many came before it") {
  const TiledMatrix matrix = mixed(2000, 2000);
  TileStore store;
  for (Index i = 0; i < 40; ++i) store.want(matrix, {i % 3 == 0 ? 1 : 0, i % 4, i % 4 + 2, i % 3, i % 3 + 2});
  store.want(matrix, {1, 0, 4, 0, 4});
  store.wait();
  CHECK(store.progress().exact);
  check_against_cells(store, matrix, 2000, 2000, 1);
}

TEST_CASE("a sampled tile reads one row of each block") {
  const Tensor values = Tensor::of({4, 2}, {1, -2, 9, 9, 3, 4, 9, 9});
  const PooledMatrix sample = pool_blocks(values.matrix(), {}, 2, 0, 1),
                     exact = pool_blocks(values.matrix(), {}, 2, 0, 0);
  REQUIRE(sample.rows == 2);
  REQUIRE(sample.cols == 1);
  CHECK(sample.value(0, 0) == -2);
  CHECK(sample.value(1, 0) == 4);
  CHECK(exact.value(0, 0) == 9);
}
