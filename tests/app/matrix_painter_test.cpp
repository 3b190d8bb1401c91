#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "core/base/tensor/matrix_source.h"
#include "core/figures/figure/heatmap_raster.h"
#include "tests/allocations.h"
#include "tests/app/painter_stage.h"

namespace headlight {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Tensor random_matrix(Index rows, Index cols, float lo = -2, float hi = 2) {
  std::mt19937 bits(7);
  std::uniform_real_distribution<float> distribution(lo, hi);
  Buffer values(static_cast<std::size_t>(rows * cols));
  for (float& value : values) value = distribution(bits);
  return Tensor({rows, cols}, std::move(values));
}

/// A random mask that is 0 in about a third of the cells.
Tensor random_mask(Index rows, Index cols) {
  const Tensor from = random_matrix(rows, cols, 0, 3);
  Buffer values(from.values().begin(), from.values().end());
  for (float& value : values) value = value < 1 ? 0.0f : 1.0f;
  return Tensor({rows, cols}, std::move(values));
}

Tensor with_marks(const Tensor& matrix) {
  Buffer values(matrix.values().begin(), matrix.values().end());
  for (std::size_t i = 0; i < values.size(); i += 5) {
    values[i] = i % 3 == 0 ? not_a_number : i % 3 == 1 ? infinity : -infinity;
  }
  return Tensor(matrix.shape(), std::move(values));
}

MatrixQuad quad_of(const Tensor& values, const Colormap& map, int left, int top, int width, int height) {
  MatrixQuad quad;
  quad.min = ImVec2(static_cast<float>(left), static_cast<float>(top));
  quad.max = ImVec2(static_cast<float>(left + width), static_cast<float>(top + height));
  quad.values = values;
  quad.colormap = &map;
  quad.range = {-2, 2};
  return quad;
}

/// The picture that core/figures/figure paints for the quad.
Image cpu_picture(const MatrixQuad& quad) {
  CellMasks masks;
  masks.show_leaks = quad.show_leaks;
  if (quad.mask.defined()) masks.allowed = quad.mask.matrix();
  if (quad.kept.defined()) masks.kept = quad.kept.matrix();
  MatrixView matrix = quad.values.matrix(quad.batch, quad.head);
  HeatmapStyle style{quad.colormap,           quad.range, quad.theme, quad.scale, static_cast<int>(quad.cell_gap),
                     colours(quad.theme).card};
  Buffer scaled;
  if (quad.row_ranges) {
    scaled = normalise_rows(matrix, masks, quad.colormap->kind());
    matrix = {scaled.data(), matrix.rows, matrix.cols, matrix.cols, 1};
    style.range = {quad.colormap->kind() == ColormapKind::diverging ? -1.0f : 0.0f, 1};
  }
  const int width = static_cast<int>(quad.max.x - quad.min.x), height = static_cast<int>(quad.max.y - quad.min.y);
  // Cells smaller than four units have no hatching, which would distract from values.
  const auto side = [](int pixels, Index cells) {
    return static_cast<float>(pixels) / static_cast<float>(std::min<Index>(pixels, cells));
  };
  style.flat_masked = std::min(side(width, matrix.cols), side(height, matrix.rows)) < 4 * quad.scale;
  Buffer spread_values;
  if (quad.norm != Norm::linear) {
    for (Index r = 0; r < matrix.rows; ++r) {
      for (Index c = 0; c < matrix.cols; ++c)
        spread_values.push_back(spread(matrix(r, c), quad.range, quad.colormap->kind(), quad.norm));
    }
    matrix = {spread_values.data(), matrix.rows, matrix.cols, matrix.cols, 1};
    style.range = {0, 1};
  }
  return heatmap_raster(matrix, masks, style, width, height);
}

int difference(Rgba a, Rgba b) { return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)}); }

/// The largest difference between the quad's part of `picture` and the CPU's picture of the quad.
int largest_difference(const Image& picture, const MatrixQuad& quad) {
  const Image expected = cpu_picture(quad);
  const int left = static_cast<int>(quad.min.x), top = static_cast<int>(quad.min.y);
  int largest = 0;
  for (int y = std::max(0, -top); y < expected.height && y + top < picture.height; ++y) {
    for (int x = std::max(0, -left); x < expected.width && x + left < picture.width; ++x) {
      largest = std::max(largest, difference(picture.at(x + left, y + top), expected.at(x, y)));
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("the GPU paints what the CPU raster paints", "[gl]") {
  const auto stage = make_stage(640, 480);
  if (!stage) return;
  const Theme theme = GENERATE(Theme::light, Theme::dark);
  const std::string name = GENERATE(std::string("signal"), std::string("viridis"));
  const Colormap map = colormap(name, theme);
  const auto check = [&](MatrixQuad quad) {
    quad.theme = theme;
    CHECK(largest_difference(stage->picture(quad), quad) <= 1);
  };

  SECTION("values") { check(quad_of(random_matrix(7, 13), map, 20, 30, 333, 217)); }
  SECTION("one cell") { check(quad_of(random_matrix(1, 1), map, 0, 0, 77, 31)); }
  SECTION("values beyond the range") {
    MatrixQuad quad = quad_of(random_matrix(9, 9), map, 5, 5, 90, 90);
    quad.range = {-0.5f, 0.75f};
    check(quad);
  }
  SECTION("a range wider than a float") {
    MatrixQuad quad = quad_of(Tensor::of({1, 3}, {-3e38f, 0, 3e38f}), map, 5, 5, 90, 90);
    quad.range = {-3e38f, 3e38f};
    check(quad);
  }
  SECTION("a range of tiny numbers") {
    MatrixQuad quad = quad_of(Tensor::of({1, 3}, {0, 5e-33f, 1e-32f}), map, 5, 5, 90, 90);
    quad.range = {0, 1e-32f};
    check(quad);
  }
  SECTION("gaps between cells") {
    MatrixQuad quad = quad_of(random_matrix(8, 11), map, 3, 4, 200, 150);
    quad.cell_gap = GENERATE(1.0f, 2.0f);
    check(quad);
  }
  SECTION("masked cells") {
    MatrixQuad quad = quad_of(random_matrix(12, 12), map, 11, 7, 301, 299);
    quad.mask = random_mask(12, 12);
    quad.show_leaks = GENERATE(false, true);
    quad.scale = GENERATE(1.0f, 2.0f);
    quad.cell_gap = GENERATE(0.0f, 2.0f);
    check(quad);
  }
  SECTION("a mask that broadcasts over the rows") {
    MatrixQuad quad = quad_of(random_matrix(6, 4), map, 0, 0, 200, 200);
    quad.mask = Tensor::of({1, 4}, {1, 0, 1, 0});
    const Image picture = stage->picture(quad);
    quad.mask = quad.mask.expand({6, 4});
    CHECK(largest_difference(picture, quad) <= 1);
  }
  SECTION("NaN and infinities, large and small cells") {
    const int size = GENERATE(60, 240);
    check(quad_of(with_marks(random_matrix(12, 15)), map, 1, 2, size, size));
  }
  SECTION("hatching that runs through the gaps of small cells") {
    MatrixQuad quad = quad_of(with_marks(random_matrix(12, 12)), map, 11, 7, 131, 145);
    quad.mask = random_mask(12, 12);
    quad.cell_gap = 1;
    check(quad);
  }
  SECTION("dropped cells, large and small") {
    const int size = GENERATE(60, 240);
    MatrixQuad quad = quad_of(random_matrix(12, 15), map, 1, 2, size, size);
    quad.kept = random_mask(12, 15);
    check(quad);
  }
  SECTION("each row over its own range") {
    MatrixQuad quad = quad_of(with_marks(random_matrix(12, 15)), map, 1, 2, 240, 240);
    quad.row_ranges = true;
    quad.mask = random_mask(12, 15);
    check(quad);
  }
  SECTION("small weights, by their root and by their logarithm") {
    Buffer weights;
    for (int i = 0; i < 24 * 24; ++i) weights.push_back(std::pow(10.0f, -5.0f * static_cast<float>(i) / (24 * 24)));
    const Colormap sequential = colormap("viridis", theme);
    MatrixQuad quad = quad_of(Tensor({24, 24}, std::move(weights)), sequential, 4, 6, 240, 240);
    quad.range = {1e-4f, 0.5f};
    quad.norm = Norm::log;
    SECTION("log") {}
    SECTION("root") {
      quad.norm = Norm::sqrt;
      quad.range = {0, 0.5f};
    }
    check(quad);
  }
  SECTION("a transposed view") { check(quad_of(random_matrix(9, 5).transpose(0, 1), map, 0, 0, 180, 100)); }
  SECTION("a view of every other row") {
    check(
        quad_of(random_matrix(4, 20).view({8, 10}).view({4, 2, 10}).slice(1, 1, 1).view({4, 10}), map, 0, 0, 200, 80));
  }
}

TEST_CASE("with more cells than pixels the GPU shows the extremes that the CPU shows", "[gl]") {
  const auto stage = make_stage(640, 480);
  if (!stage) return;
  const Colormap map = colormap(GENERATE(std::string("signal"), std::string("magma")), Theme::light);
  MatrixQuad quad;
  SECTION("up to twice as many") { quad = quad_of(random_matrix(350, 397), map, 10, 20, 211, 200); }
  SECTION("a power of two as many") { quad = quad_of(random_matrix(1024, 512), map, 10, 20, 128, 256); }
  SECTION("along one axis only") { quad = quad_of(random_matrix(4, 600), map, 0, 0, 300, 40); }
  SECTION("with masked cells") {
    quad = quad_of(random_matrix(300, 300), map, 0, 0, 170, 160);
    quad.mask = random_mask(300, 300);
  }
  SECTION("with masked, NaN and infinite cells") {
    quad = quad_of(with_marks(random_matrix(300, 300)), map, 0, 0, 170, 160);
    quad.mask = random_mask(300, 300);
  }
  CHECK(largest_difference(stage->picture(quad), quad) <= 1);
  CHECK(largest_difference(stage->picture(quad), quad) <= 1);  // reduced to one cell per pixel
}

TEST_CASE("a size that stays costs one cell a pixel, and a new one no second upload of a level that serves", "[gl]") {
  const auto stage = make_stage(640, 480);
  if (!stage) return;
  const Colormap map = colormap("signal", Theme::light);
  const Tensor matrix = random_matrix(1000, 1000);
  const auto texels = [&] { return stage->textures().uploaded_texels(); };
  stage->picture(quad_of(matrix, map, 0, 0, 300, 200));
  CHECK(texels() == 500 * 250);
  stage->picture(quad_of(matrix, map, 0, 0, 300, 200));
  CHECK(texels() == 500 * 250 + 300 * 200);
  stage->picture(quad_of(matrix, map, 0, 0, 310, 210));
  CHECK(texels() == 500 * 250 + 300 * 200);
}

TEST_CASE("a cell begins at the same pixel on the GPU and the CPU, at every size", "[gl]") {
  const auto stage = make_stage(260, 40);
  if (!stage) return;
  const Colormap map = colormap("signal", Theme::light);
  const Tensor matrix = random_matrix(6, 48);
  for (int width = 25; width < 256; ++width) {
    const MatrixQuad quad = quad_of(matrix, map, 1, 1, width, 3 + width % 34);
    INFO(width);
    REQUIRE(largest_difference(stage->picture(quad), quad) <= 1);
  }
}

TEST_CASE("a matrix larger than the window shows the right part of itself", "[gl]") {
  const auto stage = make_stage(320, 240);
  if (!stage) return;
  const Colormap map = colormap("signal", Theme::light);
  MatrixQuad quad = quad_of(random_matrix(40, 40), map, -1501, -1402, 3001, 2999);
  quad.cell_gap = 1;
  quad.mask = random_mask(40, 40);
  CHECK(largest_difference(stage->picture(quad), quad) <= 1);
}

TEST_CASE("one hot cell in 4096 x 4096 is seen at 400 pixels, wherever it is", "[gl]") {
  const auto stage = make_stage(400, 400);
  if (!stage) return;
  const Colormap map = colormap("attention", Theme::light);
  const auto [row, col] = GENERATE(std::pair<Index, Index>{0, 0}, std::pair<Index, Index>{1234, 3071},
                                   std::pair<Index, Index>{4095, 4095}, std::pair<Index, Index>{2047, 11});
  Buffer values(4096 * 4096, 0.0f);
  values[static_cast<std::size_t>(row * 4096 + col)] = 1;
  MatrixQuad quad = quad_of(Tensor({4096, 4096}, std::move(values)), map, 0, 0, 400, 400);
  quad.range = {0, 1};
  const Image picture = stage->picture(quad);
  int hot = 0, x_of = -1, y_of = -1;
  for (int y = 0; y < 400; ++y) {
    for (int x = 0; x < 400; ++x) {
      if (difference(picture.at(x, y), map.at(1)) > 1) continue;
      ++hot;
      x_of = x;
      y_of = y;
    }
  }
  REQUIRE(hot == 1);
  CHECK(std::abs(x_of - static_cast<int>(col * 400 / 4096)) <= 1);
  CHECK(std::abs(y_of - static_cast<int>(row * 400 / 4096)) <= 1);
}

TEST_CASE("opacity mixes with what lies below, and nothing is drawn past the revealed cells", "[gl]") {
  const auto stage = make_stage(100, 100);
  if (!stage) return;
  const Colormap map = colormap("viridis", Theme::light);
  const Rgba card = colours(Theme::light).card;
  MatrixQuad quad = quad_of(Tensor::full({4, 4}, 0), map, 0, 0, 80, 80);
  quad.opacity = 0.5f;
  CHECK(difference(stage->picture(quad).at(40, 40), mix(card, map.at(0.5f), 0.5f)) <= 1);
  quad.opacity = 1;
  quad.revealed = 6;
  const Image picture = stage->picture(quad);
  CHECK(difference(picture.at(30, 30), map.at(0.5f)) <= 1);
  CHECK(picture.at(50, 30) == card);
  CHECK(picture.at(10, 50) == card);
  CHECK(difference(picture.at(70, 10), map.at(0.5f)) <= 1);
}

TEST_CASE("steady frames upload nothing and allocate nothing", "[gl]") {
  const auto stage = make_stage(640, 480);
  if (!stage) return;
  const Colormap signal = colormap("signal", Theme::light), viridis = colormap("viridis", Theme::light);
  std::vector<MatrixQuad> quads;
  for (int i = 0; i < 24; ++i) {
    const Tensor matrix = random_matrix(10 + i, 600);
    quads.push_back(quad_of(matrix, i % 2 ? signal : viridis, 10 * i, 8 * i, 200, 100));
    quads.back().row_ranges = i % 3 == 0;
    if (i % 4 == 0) quads.back().mask = random_mask(10 + i, 600);
  }
  std::size_t allocated = 0;
  const auto draw_all = [&] {
    stage->frame(Theme::light, [&](ImDrawList& list, GlMatrixPainter& painter) {
      const std::size_t before = allocations_of_this_thread();
      for (const MatrixQuad& quad : quads) painter.draw(list, quad);
      allocated += allocations_of_this_thread() - before;
    });
  };
  draw_all();
  CHECK(stage->textures().uploads() == quads.size());
  for (int frame = 0; frame < 4; ++frame) draw_all();
  const std::uint64_t settled_uploads = stage->textures().uploads();
  allocated = 0;
  const std::size_t before = allocations_of_this_thread();
  for (int frame = 0; frame < 20; ++frame) draw_all();
  CHECK(allocated == 0);
  CHECK(allocations_of_this_thread() == before);  // this includes draw callbacks
  CHECK(stage->textures().uploads() == settled_uploads);
}

TEST_CASE("a frame that may take no longer leaves matrices to the next ones, and all are there in the end", "[gl]") {
  const auto stage = make_stage(300, 100);
  if (!stage) return;
  stage->painter().set_frame_budget(std::chrono::milliseconds(0));
  const Colormap map = colormap("signal", Theme::light);
  std::vector<MatrixQuad> quads;
  for (int i = 0; i < 3; ++i) quads.push_back(quad_of(random_matrix(300 + i, 300), map, 100 * i, 0, 100, 100));
  const auto draw_all = [&] {
    stage->frame(Theme::light, [&](ImDrawList& list, GlMatrixPainter& painter) {
      for (const MatrixQuad& quad : quads) painter.draw(list, quad);
    });
  };
  draw_all();
  CHECK(stage->textures().uploads() == 1);
  CHECK(stage->painter().lacks());
  for (int frame = 0; frame < 10; ++frame) draw_all();
  CHECK_FALSE(stage->painter().lacks());
  CHECK(stage->textures().uploads() >= quads.size());
  const std::uint64_t uploads = stage->textures().uploads();
  draw_all();
  CHECK(stage->textures().uploads() == uploads);
}

namespace {

/// A source whose numbers are not available before the test releases them.
class HeldBack : public MatrixSource {
 public:
  HeldBack() : MatrixSource(256, 256) {}
  void let_out() const {
    open_ = true;
    open_.notify_all();
  }

 private:
  void compute(Index, Index, Index rows, Index, Index cols, float* to) const override {
    open_.wait(false);
    std::fill_n(to, rows * cols, 1.0F);
  }
  mutable std::atomic<bool> open_ = false;
};

}  // namespace

TEST_CASE("a window's frame does not wait for a matrix that is computed as it is read", "[gl]") {
  const auto stage = make_stage(64, 64);
  if (!stage) return;
  const auto source = std::make_shared<const HeldBack>();
  const Tensor values = Tensor::computed_by({1, 1, 256, 256}, source);
  const Colormap map = colormap("signal", Theme::light);
  const MatrixQuad quad = quad_of(values, map, 0, 0, 64, 64);
  stage->painter().make_in_background();
  stage->picture(quad);
  CHECK(stage->painter().lacks());
  CHECK(stage->textures().uploads() == 0);
  source->let_out();
  for (int i = 0; i < 1000 && stage->painter().lacks(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stage->picture(quad);
  }
  CHECK_FALSE(stage->painter().lacks());
  CHECK(stage->textures().uploads() == 1);
}

TEST_CASE("where one row of a matrix changed, one row is uploaded", "[gl]") {
  const auto stage = make_stage(200, 200);
  if (!stage) return;
  const Colormap map = colormap("signal", Theme::light);
  const Tensor before = random_matrix(50, 40);
  Buffer values(before.values().begin(), before.values().end());
  for (std::size_t col = 0; col < 40; ++col) values[30 * 40 + col] = 1.5f;
  const Tensor after({50, 40}, std::move(values));
  stage->picture(quad_of(before, map, 0, 0, 200, 200));
  const std::uint64_t texels = stage->textures().uploaded_texels();
  const MatrixQuad quad = quad_of(after, map, 0, 0, 200, 200);
  CHECK(largest_difference(stage->picture(quad), quad) <= 1);
  CHECK(stage->textures().uploaded_texels() == texels + 40);
}

TEST_CASE("a matrix that is no longer drawn is let go of", "[gl]") {
  const auto stage = make_stage(200, 200);
  if (!stage) return;
  const Colormap map = colormap("signal", Theme::light);
  const MatrixQuad quad = quad_of(random_matrix(50, 40), map, 0, 0, 200, 200);
  stage->picture(quad);
  for (int frame = 0; frame < 5; ++frame) stage->frame(Theme::light, [](ImDrawList&, GlMatrixPainter&) {});
  const std::uint64_t uploads = stage->textures().uploads();
  CHECK(largest_difference(stage->picture(quad), quad) <= 1);
  CHECK(stage->textures().uploads() == uploads + 1);
}

}  // namespace headlight
