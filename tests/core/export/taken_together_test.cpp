// Sums, means and extremes over rows, columns, heads and layers, against sums written out here.
#include <algorithm>
#include <limits>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/network/attention_flow.h"
#include "core/compute/network/network_trace.h"
#include "core/figures/export/layers_figure.h"
#include "tests/core/export/small_network.h"
#include "tests/core/figure/without_cairo.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

/// All weights of the network, [L][H] matrices.
std::vector<std::vector<Tensor>> all_weights_of(const Scenario& scenario) {
  const auto pass = run_network(scenario);
  std::vector<std::vector<Tensor>> out;
  for (const auto& layer : pass->layers) {
    out.emplace_back();
    for (Index h = 0; h < layer.weights.size(1); ++h) {
      const MatrixView view = layer.weights.matrix(0, h);
      out.back().push_back(from_cells(view.rows, view.cols, [&](Index r, Index c) { return view(r, c); }));
    }
  }
  return out;
}

Tensor numbers_of(const Trace& trace, const std::string& over, TakeTogether by, const std::string& layers = "",
                  IndexSlice rows = {}) {
  ExportOptions options;
  options.all_heads = true;
  options.over = over;
  options.by = by;
  options.layers = layers;
  options.rows = rows;
  return chosen_numbers(trace, options).values;
}

}  // namespace

TEST_CASE("rows, columns, heads and layers are taken together by mean, sum, max or min", "[figure]") {
  const Scenario scenario = small_network();
  const auto trace = compute_any(scenario);
  const auto all = all_weights_of(scenario);
  const Index n = 7;
  const auto at = [&](std::size_t l, std::size_t h, Index q, Index k) {
    return static_cast<double>(all[l][h].at({q, k}));
  };
  const Tensor last_three = numbers_of(*trace, "rows", TakeTogether::mean, "", {-3, {}});
  REQUIRE(last_three.shape() == Shape{4, n});
  for (Index k = 0; k < n; ++k)
    CHECK(last_three.at({1, k}) == Approx((at(0, 1, 4, k) + at(0, 1, 5, k) + at(0, 1, 6, k)) / 3).margin(1e-6));
  const Tensor of_heads = numbers_of(*trace, "heads", TakeTogether::max);
  REQUIRE(of_heads.shape() == Shape{n, n});
  CHECK(of_heads.at({5, 2}) == Approx(std::max({at(0, 0, 5, 2), at(0, 1, 5, 2), at(0, 2, 5, 2), at(0, 3, 5, 2)})));
  const Tensor of_layers = numbers_of(*trace, "layers", TakeTogether::sum, "all");
  REQUIRE(of_layers.shape() == Shape{4, n, n});
  CHECK(of_layers.at({2, 6, 1}) == Approx(at(0, 2, 6, 1) + at(1, 2, 6, 1)));
  const Tensor both = numbers_of(*trace, "heads,layers", TakeTogether::mean, "all");
  REQUIRE(both.shape() == Shape{n, n});
  double sum = 0, everything = 0, least = std::numeric_limits<double>::infinity();
  for (std::size_t l = 0; l < 2; ++l) {
    for (std::size_t h = 0; h < 4; ++h) {
      sum += at(l, h, 4, 3);
      for (Index q = 0; q < n; ++q) {
        for (Index k = 0; k < n; ++k) everything += at(l, h, q, k), least = std::min(least, at(l, h, q, k));
      }
    }
  }
  CHECK(both.at({4, 3}) == Approx(sum / 8));
  const Tensor one = numbers_of(*trace, "heads,layers,rows,cols", TakeTogether::mean, "all");
  REQUIRE(one.shape() == Shape{1});
  CHECK(one.at({0}) == Approx(everything / (8 * n * n)));
  CHECK(numbers_of(*trace, "heads,layers,rows,cols", TakeTogether::min, "all").at({0}) == Approx(least).margin(1e-9));
}

TEST_CASE("the figure of what is taken together has the numbers of its file and says what they are", "[figure]") {
  const auto trace = compute_any(small_network());
  ExportOptions options;
  options.all_heads = true;
  options.over = "heads";
  const FigureSpec spec = figure_for(*trace, options);
  REQUIRE(spec.panels.size() == 1);
  CHECK(samples::has(spec.title, "mean over 4 heads"));
  CHECK_FALSE(samples::has(spec.title, "head 0"));
  const Tensor numbers = chosen_numbers(*trace, options).values;
  for (Index q = 0; q < 7; ++q) {
    for (Index k = 0; k < 7; ++k) CHECK(spec.panels[0].matrix(q, k) == numbers.at({q, k}));
  }
  CHECK_FALSE(printed(spec).empty());
}

TEST_CASE("rollout takes the heads by max or min and discards the smallest weights", "[figure]") {
  const Scenario scenario = small_network();
  const auto trace = compute_any(scenario);
  const auto all = all_weights_of(scenario);
  for (const TakeTogether fuse : {TakeTogether::max, TakeTogether::min}) {
    std::vector<Tensor> layers;
    for (const auto& heads : all) {
      Buffer cells;
      for (Index q = 0; q < 7; ++q) {
        for (Index k = 0; k < 7; ++k) {
          float one = heads[0].at({q, k});
          for (const Tensor& head : heads) {
            const float value = head.at({q, k});
            one = fuse == TakeTogether::max ? std::max(one, value) : std::min(one, value);
          }
          cells.push_back(one);
        }
      }
      Buffer sorted = cells;
      std::ranges::sort(sorted);
      const float limit = sorted[static_cast<std::size_t>(0.75 * 49)];
      for (float& cell : cells) cell = cell < limit ? 0 : cell;
      layers.emplace_back(Shape{7, 7}, std::move(cells));
    }
    ExportOptions options;
    options.layers = "rollout";
    options.fuse = fuse;
    options.discard = 0.75F;
    CHECK_THAT(chosen_numbers(*trace, options).values, agrees_with(attention_rollout(layers)));
    options.rows = options.cols = {1, {}};  // without the first token's row and column
    CHECK(chosen_numbers(*trace, options).values.shape() == Shape{6, 6});
    CHECK(samples::has(figure_for(*trace, options).title, "discarded"));
  }
}
