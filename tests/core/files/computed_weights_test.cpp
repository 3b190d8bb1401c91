// Weights that torch.nn.utils computes from other arrays, against their definitions.
#include "core/base/arrays/computed_weights.h"

#include <cmath>

#include "core/base/arrays/array_write.h"
#include "core/base/tensor/sampler.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

Tensor drawn(const char* name, Shape shape) { return Sampler(3, name).normal(std::move(shape)); }

std::shared_ptr<const ArrayFile> file_with(const samples::TempFolder& folder, const std::vector<NamedArray>& arrays) {
  write_npz(folder / "a.npz", arrays);
  return open_arrays(folder / "a.npz");
}

Tensor rescaled(const Tensor& w, const auto& factor) {
  Buffer made;
  for (Index row = 0; row < w.size(0); ++row) {
    for (Index col = 0; col < w.size(1); ++col) made.push_back(w.at({row, col}) * static_cast<float>(factor(row, col)));
  }
  return Tensor(w.shape(), std::move(made));
}

double row_norm(const Tensor& w, Index row) {
  double squares = 0;
  for (Index col = 0; col < w.size(1); ++col) squares += std::pow(static_cast<double>(w.at({row, col})), 2);
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("weight_norm's g and v give the weight, under both names that PyTorch uses") {
  const samples::TempFolder folder;
  const Tensor v = drawn("v", {3, 4}), g = drawn("g", {3, 1});
  const Tensor expected = rescaled(v, [&](Index row, Index) {
    return static_cast<double>(g.at({row, 0})) / row_norm(v, row);
  });
  for (const auto& [length, direction] :
       {std::pair{"a.q.weight_g", "a.q.weight_v"},
        {"a.q.parametrizations.weight.original0", "a.q.parametrizations.weight.original1"}}) {
    CAPTURE(length);
    const auto file = file_with(folder, {{"x", v}, {length, g}, {direction, v}});
    CHECK(file->entries().size() == 2);
    REQUIRE(file->find("a.q.weight"));
    CHECK(file->find("a.q.weight")->computed_by == "weight_norm");
    CHECK_THAT(file->load("a.q.weight"), agrees_with(expected));
    CHECK_THAT(file->load("x"), agrees_with(v));
  }
}

TEST_CASE("weight_norm has one length for all numbers where g is a number") {
  const samples::TempFolder folder;
  const Tensor v = drawn("v", {2, 2});
  const double norm = std::hypot(row_norm(v, 0), row_norm(v, 1));
  const auto file = file_with(folder, {{"weight_v", v}, {"weight_g", Tensor::full({}, 3)}});
  CHECK_THAT(file->load("weight"), agrees_with(rescaled(v, [&](Index, Index) { return 3 / norm; })));
}

TEST_CASE("spectral_norm divides by u W v, and pruning multiplies by its mask") {
  const samples::TempFolder folder;
  const Tensor w = drawn("w", {2, 3}), u = drawn("u", {2}), v = drawn("v", {3});
  double sigma = 0;
  for (Index row = 0; row < 2; ++row) {
    for (Index col = 0; col < 3; ++col) sigma += static_cast<double>(u.at({row}) * w.at({row, col}) * v.at({col}));
  }
  const Tensor expected = rescaled(w, [&](Index, Index) { return 1 / sigma; });
  CHECK_THAT(file_with(folder, {{"q.weight_orig", w}, {"q.weight_u", u}, {"q.weight_v", v}})->load("q.weight"),
             agrees_with(expected));
  CHECK_THAT(file_with(folder, {{"q.parametrizations.weight.original", w},
                                {"q.parametrizations.weight.0._u", u},
                                {"q.parametrizations.weight.0._v", v}})
                 ->load("q.weight"),
             agrees_with(expected));
  const Tensor mask = Tensor::of({2, 3}, {1, 0, 1, 1, 1, 0});
  CHECK_THAT(file_with(folder, {{"q.weight_orig", w}, {"q.weight_mask", mask}})->load("q.weight"),
             agrees_with(rescaled(w, [&](Index row, Index col) {
               return mask.at({row, col});
             })));
}

TEST_CASE("arrays whose shapes do not fit, or that stand beside the weight itself, are not combined") {
  const samples::TempFolder folder;
  const Tensor v = drawn("v", {3, 4});
  const auto others = file_with(folder, {{"weight_v", v}, {"weight_g", drawn("g", {3})}, {"W_g", v}, {"W_v", v}});
  CHECK(others->entries().size() == 4);
  const auto both = file_with(folder, {{"weight", v}, {"weight_v", v}, {"weight_g", drawn("g", {3, 1})}});
  CHECK(both->entries().size() == 3);
  CHECK_THAT(both->load("weight"), agrees_with(v));
}
