// Zeros in saved weights: masked only where they have the shape of a mask, and then said to be a guess.
#include "core/compute/run/pipeline.h"
#include "core/rules/position/relative_bias.h"
#include "tests/core/scenario/sample_file.h"
#include "tests/matchers.h"

using namespace headlight;
using namespace headlight::sample_files;

namespace {

/// Softmax of drawn scores over the cells that `allowed` gives, [1, 2, n, n].
template <typename Allowed>
Tensor weights_where(Index rows, Index cols, Allowed allowed) {
  const Tensor scores = drawn("scores", {1, 2, rows, cols});
  Buffer cells;
  for (Index h = 0; h < 2; ++h) {
    for (Index q = 0; q < rows; ++q) {
      double sum = 0;
      for (Index k = 0; k < cols; ++k)
        sum += allowed(q, k) ? std::exp(static_cast<double>(scores.at({0, h, q, k}))) : 0;
      for (Index k = 0; k < cols; ++k)
        cells.push_back(allowed(q, k) ? static_cast<float>(std::exp(static_cast<double>(scores.at({0, h, q, k}))) / sum)
                                      : 0);
    }
  }
  return {{1, 2, rows, cols}, std::move(cells)};
}

Inputs read(const Tensor& weights) {
  Scenario scenario;
  scenario.axes = "B,H,q,k";
  return Sample().add("attentions", weights).resolved(scenario);
}

}  // namespace

TEST_CASE("zeros of a causal mask, a window or padding are taken for masked, as a guess", "[zeros]") {
  const auto is_guessed = [](Index rows, Index cols, auto allowed) {
    const Inputs in = read(weights_where(rows, cols, allowed));
    if (!in.file_mask.defined() || !in.guessed || !is_said(in, "mask", "a guess")) return false;
    for (Index q = 0; q < rows; ++q) {
      for (Index k = 0; k < cols; ++k) {
        if ((in.file_mask.at({0, 0, q, k}) != 0) != allowed(q, k)) return false;
      }
    }
    return true;
  };
  CHECK(is_guessed(6, 6, [](Index q, Index k) { return k <= q; }));
  CHECK(is_guessed(4, 7, [](Index q, Index k) { return k <= q + 3; }));
  CHECK(is_guessed(8, 8, [](Index q, Index k) { return k <= q && q - k < 3; }));
  CHECK(is_guessed(8, 8, [](Index q, Index k) { return std::abs(q - k) <= 2; }));
  CHECK(is_guessed(6, 6, [](Index, Index k) { return k < 4; }));
  CHECK(is_guessed(6, 6, [](Index, Index k) { return k >= 2; }));
  CHECK(is_guessed(6, 6, [](Index q, Index k) { return k <= q && k < 4; }));
}

TEST_CASE("zeros without the shape of a mask are zeros, also below a causal mask", "[zeros]") {
  const auto scattered = [](Index q, Index k) {
    return !((q == 1 && k == 0) || (q == 4 && k == 2) || (q == 2 && k == 5));
  };
  const Inputs in = read(weights_where(6, 6, scattered));
  CHECK_FALSE(in.file_mask.defined());
  CHECK_FALSE(in.guessed);
  CHECK(is_said(in, "weights", "3 cells are 0"));
  const Inputs below =
      read(weights_where(6, 6, [](Index q, Index k) { return k <= q && !(q == 4 && k == 1) && !(q == 5 && k == 3); }));
  REQUIRE(below.file_mask.defined());
  CHECK(below.file_mask.at({0, 0, 4, 1}) == 1);
  CHECK(below.file_mask.at({0, 0, 1, 4}) == 0);
  CHECK(is_said(below, "weights", "2 cells are 0"));
  const Inputs none = read(weights_where(5, 5, [](Index, Index) { return true; }));
  CHECK_FALSE(none.file_mask.defined());
}

TEST_CASE("each line of a batch has its own padding in a guessed mask", "[zeros]") {
  const Tensor a = weights_where(5, 5, [](Index, Index k) { return k < 3; }),
               b = weights_where(5, 5, [](Index, Index) { return true; });
  const Inputs in = read(joined(std::vector{a, b}).view({2, 2, 5, 5}));
  REQUIRE(in.file_mask.defined());
  CHECK(in.file_mask.at({0, 0, 4, 3}) == 0);
  CHECK(in.file_mask.at({1, 0, 4, 3}) == 1);
}

TEST_CASE("a mask of two fills that is added gives float32's sums", "[zeros]") {
  constexpr float lowest = std::numeric_limits<float>::lowest(), none = -std::numeric_limits<float>::infinity();
  Sample sample;
  sample.linears("q_proj", "k_proj", "v_proj", "o_proj").heads().self_input();
  const Tensor mask = Tensor::of({n_q, n_q}, {0, lowest, none, lowest, lowest, none, 0, 0, lowest});
  sample.add("attn_mask", mask);
  Scenario adds;
  adds.mask_mode = MaskMode::add;
  const Inputs in = sample.resolved(adds);
  CHECK(is_said(in, "bias", "several fills"));
  adds.source = Source::file;
  const auto trace = compute(adds, in);
  const Stage before = Stage::scaled_scores;
  REQUIRE(trace->has(Stage::biased_scores));
  for (Index q = 0; q < n_q; ++q) {
    for (Index k = 0; k < n_q; ++k)
      CHECK((*trace)[Stage::biased_scores].at({0, 1, q, k}) == (*trace)[before].at({0, 1, q, k}) + mask.at({q, k}));
  }
  float sum = 0;
  for (Index k = 0; k < n_q; ++k) sum += (*trace)[Stage::weights].at({0, 1, 1, k});
  CHECK(sum == Approx(1));  // a row of finite fills is no dead row
}

TEST_CASE("ALiBi that sees ahead is said, with its symmetric form, and causal ALiBi is not", "[alibi]") {
  Scenario s;
  s.alibi = true;
  CHECK(is_said(resolve(s), "alibi", "--alibi-symmetric"));
  s.mask = "window(2)";
  CHECK(is_said(resolve(s), "alibi", "--alibi-symmetric"));
  s.mask = "causal()";
  CHECK_FALSE(is_said(resolve(s), "alibi", "--alibi-symmetric"));
  s.mask.clear();
  s.alibi_symmetric = true;
  CHECK_FALSE(is_said(resolve(s), "alibi", "--alibi-symmetric"));
  const auto trace = compute(s);
  for (Index q = 0; q < 4; ++q) {
    for (Index k = 0; k < 4; ++k) {
      const double slope = alibi_slopes(trace->dims().heads)[1];
      CHECK((*trace)[Stage::biased_scores].at({0, 1, q, k}) ==
            Approx(static_cast<double>((*trace)[Stage::scaled_scores].at({0, 1, q, k})) -
                   slope * static_cast<double>(std::abs(q - k)))
                .margin(1e-5));
    }
  }
}

TEST_CASE("the last words of short lines are named, and padding is marked", "[padding]") {
  Scenario s;
  s.text = "the cat sat on the mat\nthe dog ran";
  const Inputs in = resolve(s);
  CHECK(is_said(in, "padding", "after word 2 of sequence 1, counted from 0, there is padding"));
  CHECK(in.name_along(Axis::query, 1, 5) == "<pad>");
  s.text = "the cat\nthe dog";
  CHECK_FALSE(is_said(resolve(s), "padding", "there is padding"));
}

TEST_CASE("what counts from the top left beside causal_bottom_right() is said", "[mask]") {
  Scenario s;
  s.source = Source::random;
  s.queries = 2;
  s.keys = 6;
  s.d_model = 8;
  const auto said = [&](const std::string& mask) {
    s.mask = mask;
    return is_said(resolve(s), "mask", "from the top left");
  };
  CHECK_FALSE(said("causal_bottom_right() && window(3)"));
  CHECK(said("causal_bottom_right() && q < 9"));
  CHECK(said("causal_bottom_right() || causal()"));
  CHECK_FALSE(said("causal() && window(3)"));
}
