#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/attention/sweep.h"
#include "core/rules/position/relative_bias.h"
#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

TEST_CASE("RoPE scores depend on the distance between query and key alone", "[attention]") {
  const Tensor one = sampled({1, 1, 1, 8}, "q"), other = sampled({1, 1, 1, 8}, "k");
  for (const Rope pairing : {Rope::half, Rope::interleaved}) {
    const Tensor queries = rotate(one.expand({1, 1, 9, 8}), {pairing, rope_frequencies(100, 8)});
    const Tensor keys = rotate(other.expand({1, 1, 9, 8}), {pairing, rope_frequencies(100, 8)});
    ScoreSteps steps;
    steps.queries = queries;
    steps.keys = keys;
    const Tensor scores = one_step(steps, Stage::scores);
    for (Index q = 1; q < 9; ++q) {
      for (Index k = 1; k < 9; ++k) CHECK(agrees(scores.at({0, 0, q, k}), scores.at({0, 0, q - 1, k - 1})));
    }
    CHECK_FALSE(agrees(scores.at({0, 0, 3, 0}), scores.at({0, 0, 0, 0})));
  }
}

TEST_CASE("RoPE leaves position 0 unchanged and rotates each pair by its own angle", "[attention]") {
  const Tensor x = Tensor::of({1, 1, 2, 4}, {1, 2, 3, 4, 1, 2, 3, 4});
  const float c0 = std::cos(1.0F), s0 = std::sin(1.0F), c1 = std::cos(0.1F), s1 = std::sin(0.1F);
  CHECK_THAT(
      rotate(x, {Rope::half, rope_frequencies(100, 4)}),
      agrees_with(Tensor::of({1, 1, 2, 4}, {1, 2, 3, 4, c0 - 3 * s0, 2 * c1 - 4 * s1, s0 + 3 * c0, 2 * s1 + 4 * c1})));
  CHECK_THAT(
      rotate(x, {Rope::interleaved, rope_frequencies(100, 4)}),
      agrees_with(Tensor::of({1, 1, 2, 4}, {1, 2, 3, 4, c0 - 2 * s0, s0 + 2 * c0, 3 * c1 - 4 * s1, 3 * s1 + 4 * c1})));
}

TEST_CASE("QK-norm gives each head row a root mean square, or a length, of one", "[attention]") {
  const Tensor x = sampled({2, 3, 4, 8}, "x", 5);
  const Tensor rms = normalise_heads(x, {QkNorm::rms}), l2 = normalise_heads(x, {QkNorm::l2});
  float squares = 0, length = 0;
  for (Index i = 0; i < 8; ++i) {
    squares += rms.at({1, 2, 3, i}) * rms.at({1, 2, 3, i});
    length += l2.at({1, 2, 3, i}) * l2.at({1, 2, 3, i});
  }
  CHECK(agrees(squares, 8));
  CHECK(agrees(length, 1));
  CHECK(normalise_heads(Tensor::full({1, 1, 1, 4}, 0), {QkNorm::l2}).at({0, 0, 0, 0}) == 0);
}

TEST_CASE(
    "a LayerNorm of queries or keys leaves each head row a mean of zero and a variance of one, times weight plus bias",
    "[attention]") {
  const Tensor x = sampled({2, 3, 4, 8}, "x", 5), gain = sampled({8}, "gain", 1), bias = sampled({8}, "bias", 1);
  const Tensor plain = normalise_heads(x, {QkNorm::layer, 0}),
               learnt = normalise_heads(x, {QkNorm::layer, 0, gain, false, bias});
  double sum = 0, squares = 0;
  for (Index i = 0; i < 8; ++i) {
    const auto value = static_cast<double>(plain.at({1, 2, 3, i}));
    sum += value;
    squares += value * value;
    CHECK(agrees(learnt.at({1, 2, 3, i}), plain.at({1, 2, 3, i}) * gain.at({i}) + bias.at({i})));
  }
  CHECK(std::abs(sum) < 1e-5);
  CHECK(squares == Approx(8).epsilon(1e-5));
}

TEST_CASE("ALiBi's slopes are the paper's, also where the number of heads is no power of two", "[attention]") {
  CHECK(alibi_slopes(8) == std::vector<double>{0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625});
  CHECK(alibi_slopes(1) == std::vector<double>{0x1p-8});
  const std::vector<double> six = alibi_slopes(6);
  CHECK(six == std::vector<double>{0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125});
}

TEST_CASE("T5's buckets are Hugging Face's", "[attention]") {
  const std::vector<Index> distances{-200, -128, -127, -64, -32, -31, -16, -15, -8, -7, 0, 1, 7, 8, 12, 16, 64, 200};
  const std::vector<Index> both{15, 15, 15, 14, 12, 11, 10, 9, 8, 7, 0, 17, 23, 24, 25, 26, 30, 31};
  const std::vector<Index> past{31, 31, 31, 26, 21, 21, 16, 15, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < distances.size(); ++i) {
    CHECK(t5_bucket(distances[i], true) == both[i]);
    CHECK(t5_bucket(distances[i], false) == past[i]);
  }
}

TEST_CASE("T5's buckets for other numbers of buckets and other distances are Hugging Face's", "[attention]") {
  const std::vector<Index> distances{-90, -40, -20, -9, -5, -3, -1, 0, 1, 2, 4, 7, 11, 30, 70};
  const std::vector<Index> sixteen{7, 7, 6, 5, 4, 3, 1, 0, 9, 10, 12, 12, 13, 14, 15},
      past{15, 14, 11, 8, 5, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0}, eight{3, 3, 3, 3, 2, 2, 1, 0, 5, 6, 6, 7, 7, 7, 7};
  for (std::size_t i = 0; i < distances.size(); ++i) {
    CHECK(t5_bucket(distances[i], true, 16, 64) == sixteen[i]);
    CHECK(t5_bucket(distances[i], false, 16, 64) == past[i]);
    CHECK(t5_bucket(distances[i], true, 8, 20) == eight[i]);
  }
}

TEST_CASE("several biases add up, by distance or by cell", "[attention]") {
  const Tensor scores = sampled({2, 2, 3, 4}, "s"), file = sampled({2, 1, 1, 4}, "f");
  const Tensor table = t5_table(2, 5);
  ScoreSteps steps;
  steps.take(AddedTerms{{{alibi_by_distance(2, 3, 4), true}, {t5_by_distance(table, true, 3, 4), true}, {file}}});
  const Tensor sum = one_step(steps, Stage::biased_scores, scores);
  for (Index q = 0; q < 3; ++q) {
    for (Index k = 0; k < 4; ++k) {
      const float alibi = static_cast<float>(alibi_slopes(2)[1]) * static_cast<float>(k - q);
      const float t5 = table.at({1, t5_bucket(k - q, true)});
      CHECK(agrees(sum.at({1, 1, q, k}), scores.at({1, 1, q, k}) + alibi + t5 + file.at({1, 0, 0, k})));
    }
  }
}

TEST_CASE("a head's T5 numbers do not change with the number of heads", "[attention]") {
  CHECK_THAT(t5_table(8, 3).slice(0, 0, 2), agrees_with(t5_table(2, 3)));
}
