#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "core/base/tensor/error.h"
#include "core/figures/figure/heatmap_raster.h"
#include "core/rules/stage/pool.h"
#include "tests/catch.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

std::set<std::tuple<int, int, int>> colours_in(const Image& image) {
  std::set<std::tuple<int, int, int>> found;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const Rgba c = image.at(x, y);
      found.insert({c.r, c.g, c.b});
    }
  }
  return found;
}

bool on_map(const Colormap& map, const std::tuple<int, int, int>& colour) {
  const auto [r, g, b] = colour;
  return std::any_of(map.table().begin(), map.table().end(),
                     [r = r, g = g, b = b](Rgba c) { return c.r == r && c.g == g && c.b == b; });
}

}  // namespace

TEST_CASE("one hot cell of 4096 × 4096 is in the picture of 400 × 400, wherever it is, at full colour") {
  const Index n = 4096;
  const Colormap map = colormap("attention", Theme::light);
  for (const auto& [row, col] : {std::pair<Index, Index>{0, 0}, {1234, 3210}, {4095, 4095}}) {
    Buffer values(static_cast<std::size_t>(n * n), 0.0002f);
    values[static_cast<std::size_t>(row * n + col)] = 0.9f;
    const Tensor t({n, n}, std::move(values));
    const Image image = heatmap_raster(t.matrix(), {}, {&map, {0, 0.9f}}, 400, 400);
    const auto pixel = [&](Index i) {  // the pixel whose block contains source cell i
      int block = 0;
      while ((block + 1) * n / 400 <= i) ++block;
      return block;
    };
    int hot = 0;
    for (int y = 0; y < 400; ++y) {
      for (int x = 0; x < 400; ++x) hot += image.at(x, y) == map.at(1);
    }
    CHECK(hot == 1);
    CHECK(image.at(pixel(col), pixel(row)) == map.at(1));
  }
}

TEST_CASE("pooling keeps the value farthest from the centre, NaN above all, and values above marks") {
  const Tensor t = Tensor::of({2, 8}, {1, -3, NaN, 9, -inf, 2, -inf, -inf,  //
                                       2, 2.5f, 0, 0, -inf, -inf, -inf, inf});
  const PooledMatrix cells = pool(t.matrix(), {}, 1, 4);
  CHECK(cells.value(0, 0) == -3);
  CHECK(cells.kind(0, 1) == CellKind::nan);
  CHECK(cells.kind(0, 2) == CellKind::value);
  CHECK(cells.value(0, 2) == 2);
  CHECK(cells.kind(0, 3) == CellKind::pos_inf);
  CHECK(pool(t.matrix(), {}, 1, 4, -5).value(0, 0) == 2.5f);
  CHECK(pool(Tensor::full({4, 4}, -inf).matrix(), {}, 2, 2).kind(1, 1) == CellKind::neg_inf);
}

TEST_CASE("pooling gives the extreme of every block, for strided views and uneven sizes") {
  Buffer values;
  for (int i = 0; i < 37 * 53; ++i) values.push_back(std::sin(static_cast<float>(i * i)) * 10);
  const Tensor t = Tensor({37, 53}, std::move(values)).transpose(0, 1);  // 53 × 37
  const PooledMatrix cells = pool(t.matrix(), {}, 7, 11);
  REQUIRE(cells.rows == 7);
  REQUIRE(cells.cols == 11);
  for (Index i = 0; i < 7; ++i) {
    for (Index j = 0; j < 11; ++j) {
      float most = 0;
      for (Index r = i * 53 / 7; r < (i + 1) * 53 / 7; ++r) {
        for (Index c = j * 37 / 11; c < (j + 1) * 37 / 11; ++c) {
          if (std::fabs(t.matrix()(r, c)) > std::fabs(most)) most = t.matrix()(r, c);
        }
      }
      CHECK(cells.value(i, j) == most);
    }
  }
}

TEST_CASE("pooling does not let a masked or dropped value through") {
  const Tensor t = Tensor::of({1, 4}, {5, 100, -200, 300});
  const Tensor allowed = Tensor::of({1, 4}, {1, 0, 0, 0}), kept = Tensor::of({1, 4}, {1, 1, 1, 0});
  const PooledMatrix cells = pool(t.matrix(), {allowed.matrix(), kept.matrix()}, 1, 2);
  CHECK(cells.value(0, 0) == 5);
  CHECK(cells.kind(0, 1) == CellKind::masked);
}

TEST_CASE("a cell that is no value never has a colour of the map") {
  for (const std::string& name : list_colormaps()) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
      const Colormap map = colormap(name, theme);
      for (const int pixels : {2, 5, 8, 24}) {
        const HeatmapStyle style{&map, {-1, 1}, theme};
        for (const float special : {NaN, inf}) {
          const Tensor cell = Tensor::full({1, 1}, special);
          for (const auto& colour : colours_in(heatmap_raster(cell.matrix(), {}, style, pixels, pixels))) {
            CHECK_FALSE(on_map(map, colour));
          }
        }
      }
    }
  }
}

TEST_CASE("masked cells look the same whatever lies under the mask, and unlike a value") {
  const Colormap map = colormap("signal", Theme::light);
  const HeatmapStyle style{&map, {-1, 1}};
  const Tensor allowed = Tensor::full({2, 2}, 0);
  const auto picture = [&](float value) {
    return heatmap_raster(Tensor::full({2, 2}, value).matrix(), {allowed.matrix(), {}}, style, 48, 48);
  };
  CHECK(picture(-1e9f).rgba == picture(0.5f).rgba);
  CHECK(colours_in(picture(0)).size() > 2);  // hatched, not flat
  CHECK(picture(0).rgba == heatmap_raster(Tensor::full({2, 2}, -inf).matrix(), {}, style, 48, 48).rgba);
  CHECK(picture(0).rgba != picture(NaN).rgba);
}

TEST_CASE("each pixel shows the nearest cell, and only large cells have gaps between them") {
  const Colormap map = colormap("grey", Theme::light);
  const Tensor t = Tensor::of({2, 3}, {0, 0.2f, 0.4f, 0.6f, 0.8f, 1});
  HeatmapStyle style{&map, {0, 1}};
  const Image plain = heatmap_raster(t.matrix(), {}, style, 30, 20);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 30; ++x) CHECK(plain.at(x, y) == map.at(t.at({y / 10, x / 10})));
  }
  style.gap = heatmap_gap(10, 10);
  style.gap_colour = rgb("FF0000");
  const Image apart = heatmap_raster(t.matrix(), {}, style, 30, 20);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 30; ++x) {
      const bool seam = x == 9 || x == 19 || y == 9;
      CHECK(apart.at(x, y) == (seam ? style.gap_colour : plain.at(x, y)));
    }
  }
  CHECK(heatmap_gap(5.9, 40) == 0);
  CHECK(heatmap_gap(11, 40, 2) == 0);
  CHECK(heatmap_gap(12, 40, 2) == 2);
}

TEST_CASE("a PNG gives back the exact pixels, opaque or not") {
  Image image(5, 3, {10, 20, 30, 255});
  image.set(4, 2, {200, 100, 50, 255});
  CHECK(decode_png(encode_png(image, 300)).rgba == image.rgba);
  image.set(0, 0, {1, 2, 3, 0});
  image.set(1, 1, {9, 8, 7, 128});
  const Image back = decode_png(encode_png(image));
  CHECK(back.width == 5);
  CHECK(back.rgba == image.rgba);
  CHECK_THROWS_AS(decode_png(std::vector<std::uint8_t>{1, 2, 3}), FileError);
}

TEST_CASE("pooled parameters show the mean of each block") {
  Buffer values;
  for (int row = 0; row < 8; ++row) {
    for (int col = 0; col < 8; ++col) values.push_back(static_cast<float>(row / 4) + (col % 2 == 0 ? 0.25f : -0.25f));
  }
  const Tensor t({8, 8}, std::move(values));
  const PooledMatrix cells = pool_means(t.matrix(), 2, 2);
  REQUIRE(cells.rows == 2);
  for (const Index col : {0, 1}) {
    CHECK(cells.value(0, col) == Approx(0));
    CHECK(cells.value(1, col) == Approx(1));
  }
  const Tensor bad = Tensor::of({1, 2}, {1, std::numeric_limits<float>::quiet_NaN()});
  CHECK(pool_means(bad.matrix(), 1, 1).kind(0, 0) == CellKind::nan);
}
