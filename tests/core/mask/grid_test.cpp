// row(), col() and neighborhood(r), which masks of a picture's patches use.
#include <cstdlib>
#include <functional>

#include "core/base/tensor/error.h"
#include "core/compute/network/network_trace.h"
#include "core/rules/mask/evaluate.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;

namespace {

Tensor mask_of(const std::string& expression, Index n_q, Index n_k, const PictureGrid& grid) {
  const MaskContext context{.n_q = n_q, .n_k = n_k, .grid = grid};
  return evaluate(MaskExpression::parse(expression), context);
}

std::string refused(const std::function<void()>& use) {
  try {
    use();
  } catch (const InputError& error) { return error.sentence().english(); }
  return "nothing";
}

}  // namespace

TEST_CASE("row and col of a patch are its place, of other tokens -1, and neighborhood(r) never hides those") {
  const PictureGrid grids[] = {{3, 4, 0}, {3, 4, 1}, {4, 3, 5}, {1, 12, 2}};
  for (const PictureGrid& grid : grids) {
    const Index patches = grid.rows * grid.columns, n = grid.first + patches + 2;  // two words after them
    const auto patch = [&](Index token) {
      return token < grid.first || token >= grid.first + patches ? -1 : token - grid.first;
    };
    const auto row = [&](Index token) { return patch(token) < 0 ? -1 : patch(token) / grid.columns; };
    const auto col = [&](Index token) { return patch(token) < 0 ? -1 : patch(token) % grid.columns; };
    const std::pair<const char*, std::function<bool(Index, Index)>> rules[] = {
        {"row(q) == row(k)", [&](Index q, Index k) { return row(q) == row(k); }},
        {"col(k) < col(q) + 1", [&](Index q, Index k) { return col(k) <= col(q); }},
        {"row(k) < 0 || row(k) == 2 && h == 0", [&](Index, Index k) { return row(k) < 0 || row(k) == 2; }},
        {"neighborhood(1)",
         [&](Index q, Index k) {
           return row(q) < 0 || row(k) < 0 || (std::abs(row(q) - row(k)) <= 1 && std::abs(col(q) - col(k)) <= 1);
         }},
    };
    for (const auto& [expression, rule] : rules) {
      const Tensor mask = mask_of(expression, n, n, grid);
      Index wrong = 0;
      for (Index q = 0; q < n; ++q) {
        for (Index k = 0; k < n; ++k) wrong += (mask.at({0, 0, q, k}) != 0) != rule(q, k);
      }
      INFO(expression << " of " << grid.rows << " x " << grid.columns << " from " << grid.first);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("queries that are words lie outside the grid of the picture they attend to") {
  const Tensor mask = mask_of("row(q) < 0 && row(k) == 1", 3, 12, {3, 4});
  for (Index q = 0; q < 3; ++q) {
    for (Index k = 0; k < 12; ++k) CHECK((mask.at({0, 0, q, k}) != 0) == (k / 4 == 1));
  }
}

TEST_CASE("row(q) without a grid is refused with its place, and so is a grid that does not fit") {
  CHECK(refused([] {
          (void)mask_of("causal() && row(q) == row(k)", 4, 4, {});
        }).starts_with("the tokens here are no patches of a picture; expected"));
  CHECK(refused([] { (void)mask_of("neighborhood(1)", 4, 4, {}); }).find("--grid 14x14") != std::string::npos);
  CHECK(refused([] {
          (void)mask_of("row(q + 1) == 0", 4, 4, {2, 2});
        }) == "'row' is of a query or a key; expected row(q) or row(k)");
  CHECK(picture_grid("2x3", 7) == PictureGrid{2, 3, 1});
  CHECK(picture_grid("2x3@0", 7) == PictureGrid{2, 3, 0});
  for (const char* wrong : {"", "x", "3", "3x", "0x3", "-1x3", "2x3@", "2x3@-1", "2x3@2", "4x4", "2x3 ", "2x3@1x",
                            "1048577x1", "1048576x1048576"})
    CHECK_THROWS_AS(picture_grid(wrong, 7), SettingError);
}

TEST_CASE("a vision network gives the grid of its patches, also for a mask in one layer of its pass") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = samples::fixture("networks/dinov2_registers").string();
  scenario.mask = "neighborhood(0)";
  const auto trace = compute_any(scenario, nullptr, {});
  const Inputs& inputs = trace->inputs;
  const Index patches = inputs.grid.rows * inputs.grid.columns, first = inputs.grid.first;
  REQUIRE(patches > 1);
  CHECK(first + patches == inputs.dims.n_k);
  CHECK(inputs.key_tokens.front()[static_cast<std::size_t>(first)] == "0,0");
  const Tensor& weights = (*trace)[Stage::weights];
  CHECK(weights.at({0, 0, first, first + 1}) == 0);
  CHECK(weights.at({0, 0, first, 0}) > 0);
  CHECK(weights.at({0, 0, 0, first}) > 0);
  Run whole;
  whole.summary = Summary::whole;
  CHECK(compute_any(scenario, nullptr, whole)->has(Stage::mask));
  scenario.grid = "1x2@0";
  CHECK(compute_any(scenario, nullptr, {})->inputs.grid == PictureGrid{1, 2, 0});
}
