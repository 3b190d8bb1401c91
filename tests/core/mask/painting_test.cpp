#include "core/rules/mask/painting.h"

#include <random>

#include "core/scenario/inputs/inputs.h"
#include "tests/attention_inputs.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

constexpr PaintSizes sizes{2, 3, 7, 5};

/// The expected paint of each cell: 1, 0, or −1 for none.
using Canvas = std::vector<int>;

std::size_t at(Index b, Index h, Index q, Index k) {
  return static_cast<std::size_t>(((b * sizes.heads + h) * sizes.n_q + q) * sizes.n_k + k);
}

void stroke(Canvas& canvas, const PaintedCells& area, Paint paint) {
  for (Index b = 0; b < sizes.batch; ++b) {
    for (Index h = 0; h < sizes.heads; ++h) {
      if (!lies_in(area, b, h)) continue;
      for (Index q = area.query; q < std::min(area.query + area.queries, sizes.n_q); ++q) {
        for (Index k = area.key; k < std::min(area.key + area.keys, sizes.n_k); ++k) {
          canvas[at(b, h, q, k)] = paint == Paint::allow ? 1 : paint == Paint::forbid ? 0 : -1;
        }
      }
    }
  }
}

/// The canvas that a list of rectangles gives, in which later ones override earlier ones.
Canvas canvas_of(const std::vector<PaintedCells>& painted) {
  Canvas canvas(at(sizes.batch, 0, 0, 0), -1);
  for (const PaintedCells& cells : painted) stroke(canvas, cells, cells.attend ? Paint::allow : Paint::forbid);
  return canvas;
}

}  // namespace

TEST_CASE("each cell has the value of the last stroke over it, whatever the scopes") {
  std::mt19937 random(7);
  const auto below = [&](Index n) { return static_cast<Index>(random() % static_cast<std::uint32_t>(n)); };
  std::vector<PaintedCells> painted;
  Canvas canvas = canvas_of({});
  for (int i = 0; i < 400; ++i) {
    const PaintedCells area{below(3) - 1, below(4) - 1, below(8), below(6), false, below(4) + 1, below(4) + 1};
    const auto paint = static_cast<Paint>(below(3));
    painted = painted_over(painted, area, paint, sizes);
    stroke(canvas, area, paint);
    CAPTURE(i);
    REQUIRE(canvas_of(painted) == canvas);
  }
}

TEST_CASE("cells painted one by one in any order become the same record as a rectangle") {
  const PaintedCells whole{-1, -1, 1, 1, true, 4, 3};
  const auto at_once = painted_over({}, whole, Paint::allow, sizes);
  CHECK(at_once == std::vector{whole});
  std::vector<PaintedCells> cells;
  for (Index i = 0; i < 12; ++i) {
    const Index place = i * 5 % 12;
    cells = painted_over(cells, {-1, -1, 1 + place / 3, 1 + place % 3}, Paint::allow, sizes);
  }
  CHECK(cells == at_once);
  CHECK(painted_over(cells, whole, Paint::give_back, sizes).empty());
}

TEST_CASE("a column of a large mask is one record, and painting outside the mask adds none") {
  const PaintSizes large{1, 1, 100000, 100000};
  CHECK(painted_over({}, {-1, -1, 0, 3, false, 100000, 1}, Paint::forbid, large).size() == 1);
  CHECK(painted_over({}, {-1, -1, 100000, 0}, Paint::forbid, large).empty());
  CHECK(painted_over({}, {-1, -1, 99999, 99999, false, 9, 9}, Paint::forbid, large).front().queries == 1);
}

TEST_CASE("a cell painted several times is counted once, as the last value") {
  const std::vector<PaintedCells> painted{{-1, -1, 0, 0, true, 2, 2}, {-1, 1, 0, 0, false}};
  CHECK(painted_count(painted, 0, 0, sizes).allowed == 4);
  CHECK(painted_count(painted, 0, 1, sizes).allowed == 3);
  CHECK(painted_count(painted, 0, 1, sizes).forbidden == 1);
}

TEST_CASE("painted rectangles override the expression in the computed mask") {
  const Inputs inputs = small_inputs({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = 3, .n_k = 3, .d_model = 4});
  Scenario scenario;
  scenario.mask = "causal()";
  scenario.painted = {{.query = 0, .key = 1, .attend = true, .queries = 2, .keys = 9},
                      {.query = 2, .key = 0, .keys = 2}};
  const Tensor mask = build_mask(mask_rule(scenario, inputs)).contiguous();
  const std::vector<float> values(mask.values().begin(), mask.values().end());
  CHECK(values == std::vector<float>{1, 1, 1, 1, 1, 1, 0, 0, 1});
}
