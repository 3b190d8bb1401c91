#include "core/compute/attention/softmax.h"

#include "core/base/tensor/sampler.h"
#include "core/compute/attention/sweep.h"
#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

Tensor row(std::initializer_list<float> values) {
  return Tensor::of({1, 1, 1, static_cast<Index>(values.size())}, values);
}

}  // namespace

TEST_CASE("softmax of known scores is exp(score) divided by the row's sum", "[attention]") {
  CHECK_THAT(softmax(row({0, std::log(3.0F)})), agrees_with(row({0.25F, 0.75F})));
  CHECK_THAT(softmax(row({1000, 1000})), agrees_with(row({0.5F, 0.5F})));
  CHECK_THAT(softmax(row({-inf, 2, -inf})), agrees_with(row({0, 1, 0})));
}

TEST_CASE("softmax treats infinities and NaN as PyTorch does", "[attention]") {
  CHECK_THAT(softmax(row({-inf, -inf})), agrees_with(row({NaN, NaN})));
  CHECK_THAT(softmax(row({inf, 0})), agrees_with(row({NaN, NaN})));
  CHECK_THAT(softmax(row({NaN, 0})), agrees_with(row({NaN, NaN})));
  CHECK_THAT(softmax(row({-1e9F, -1e9F})), agrees_with(row({0.5F, 0.5F})));
}

TEST_CASE("a dead row follows the policy and a live row does not", "[attention]") {
  const Tensor scores = Tensor::of({1, 1, 2, 2}, {-inf, -inf, 0, -inf});
  const Tensor mask = Tensor::of({1, 1, 2, 2}, {0, 0, 1, 0});
  const auto with = [&](DeadRow policy) { return softmax(scores, {}, mask, policy); };
  CHECK_THAT(with(DeadRow::from_fill), agrees_with(Tensor::of({1, 1, 2, 2}, {NaN, NaN, 1, 0})));
  CHECK_THAT(with(DeadRow::nan), agrees_with(Tensor::of({1, 1, 2, 2}, {NaN, NaN, 1, 0})));
  CHECK_THAT(with(DeadRow::uniform), agrees_with(Tensor::of({1, 1, 2, 2}, {0.5F, 0.5F, 1, 0})));
  CHECK_THAT(with(DeadRow::zero), agrees_with(Tensor::of({1, 1, 2, 2}, {0, 0, 1, 0})));
}

TEST_CASE("a finite fill makes a dead row NaN, uniform or zero where the policy says so", "[attention]") {
  const Tensor scores = row({-1e9F, -1e9F}), mask = row({0, 0});
  CHECK_THAT(softmax(scores, {}, mask, DeadRow::nan), agrees_with(row({NaN, NaN})));
  CHECK_THAT(softmax(scores, {}, mask, DeadRow::from_fill), agrees_with(row({0.5F, 0.5F})));
  CHECK_THAT(softmax(scores, {}, mask, DeadRow::zero), agrees_with(row({0, 0})));
}

TEST_CASE("a sink logit takes its share, so rows sum to less than one", "[attention]") {
  const Tensor sink = Tensor::of({1}, {0});
  CHECK_THAT(softmax(row({0, 0}), sink), agrees_with(row({1.0F / 3, 1.0F / 3})));
  CHECK_THAT(softmax(row({-inf, -inf}), sink), agrees_with(row({0, 0})));
  CHECK_THAT(softmax(row({0, 0}), Tensor::of({1}, {500})), agrees_with(row({0, 0})));
}

TEST_CASE("a soft-cap far above the scores is the identity, and a low one keeps them below it", "[attention]") {
  const Tensor scores = sampled({1, 2, 3, 4}, "s", 3);
  const auto capped = [](float cap, const Tensor& before) {
    ScoreSteps steps;
    steps.take(CapParameters{cap});
    return one_step(steps, Stage::capped_scores, before);
  };
  CHECK_THAT(capped(1e6F, scores), agrees_with(scores));
  CHECK(capped(2, row({1e4F})).at({0, 0, 0, 0}) == 2);
}

TEST_CASE("the fill replaces the score where the mask is false, also a NaN", "[attention]") {
  CHECK_THAT(apply_mask(row({1, NaN, 3}), row({1, 0, 0}), {-inf}), agrees_with(row({1, -inf, -inf})));
}

TEST_CASE("a fill that is added leaves a NaN as NaN", "[attention]") {
  const auto added = [](float fill) {
    return apply_mask(row({1, NaN, 3, 2}), row({1, 0, 0, 1}), {fill, MaskMode::add});
  };
  CHECK_THAT(added(-inf), agrees_with(row({1, NaN, -inf, 2})));
  CHECK_THAT(added(-10), agrees_with(row({1, NaN, -7, 2})));
}

TEST_CASE("dropout scales what it keeps and zeroes the rest", "[attention]") {
  const Tensor weights = Tensor::full({1, 2, 50, 50}, 0.5F);
  const Tensor keep = dropout_keep(weights.shape(), 0.25F, 9);
  const Tensor dropped = drop(weights, keep, 0.25F);
  double kept = 0;
  for (std::size_t i = 0; i < keep.values().size(); ++i) {
    kept += static_cast<double>(keep.values()[i]);
    CHECK(agrees(dropped.values()[i], keep.values()[i] != 0 ? 0.5F / 0.75F : 0));
  }
  CHECK(std::abs(kept / 5000 - 0.75) < 0.03);
}

TEST_CASE("dropout with p = 0 is the identity, with p = 1 zero, and NaN stays NaN", "[attention]") {
  const Tensor weights = row({0.25F, 0.75F});
  CHECK_THAT(drop(weights, dropout_keep(weights.shape(), 0, 1), 0), agrees_with(weights));
  CHECK_THAT(drop(weights, dropout_keep(weights.shape(), 1, 1), 1), agrees_with(row({0, 0})));
  CHECK_THAT(drop(row({NaN, NaN}), row({0, 1}), 0.5F), agrees_with(row({NaN, NaN})));
}

TEST_CASE("the same dropout seed draws the same mask", "[attention]") {
  const Shape shape{2, 2, 8, 8};
  CHECK_THAT(dropout_keep(shape, 0.5F, 4), agrees_with(dropout_keep(shape, 0.5F, 4)));
  CHECK_THAT(dropout_keep(shape, 0.5F, 5), !agrees_with(dropout_keep(shape, 0.5F, 4)));
}

TEST_CASE("dropout draws from Philox, whose words are those of its authors", "[attention]") {
  constexpr auto words = philox(0, 0);
  CHECK(words == std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const Tensor keep = dropout_keep({1, 1, 3, 5}, 0.5F, 7);
  for (Index i = 0; i < 15; ++i) {
    const float drawn = philox_uniform(philox(static_cast<std::uint64_t>(i / 4), 7)[static_cast<std::size_t>(i % 4)]);
    CHECK(keep.at({0, 0, i / 5, i % 5}) == (drawn < 0.5F ? 0.0F : 1.0F));
  }
}
