#include "core/compute/attention/kernels/kernels.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/compute/attention/product.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/sweep.h"
#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

std::vector<float> some(Index count, std::string_view stream) {
  const Tensor values = sampled({count}, stream, 1);
  return {values.values().begin(), values.values().end()};
}

double dot(const std::vector<float>& a, const std::vector<float>& b, Index row, Index col, Index depth) {
  double sum = 0;
  for (Index i = 0; i < depth; ++i) {
    sum += static_cast<double>(a[static_cast<std::size_t>(row * depth + i)]) *
           static_cast<double>(b[static_cast<std::size_t>(col * depth + i)]);
  }
  return sum;
}

// x after `kernel` ran on it. Its length is no multiple of the vector width.
template <typename Kernel>
std::vector<float> after(std::vector<float> x, Kernel kernel) {
  kernel(x.data(), static_cast<Index>(x.size()));
  return x;
}

}  // namespace

TEST_CASE("products of every kernel agree with float64 sums for sizes that do not fill its blocks", "[attention]") {
  for (const Kernels* use : available_kernels()) {
    CAPTURE(use->name);
    for (const Index depth : {1, 3, 64, 129}) {
      for (const Index rows : {1, 5, 6, 13}) {
        for (const Index cols : {1, 4, 17, 64, 70}) {
          const std::vector<float> a = some(rows * depth, "a"), b = some(cols * depth, "b");
          std::vector<float> packed(static_cast<std::size_t>(depth * use->panel)),
              c(static_cast<std::size_t>(rows * cols), NaN), dots = c, sums(c.size(), 0.0F);
          for (Index col = 0; col < cols; col += use->panel) {
            const Index width = std::min(use->panel, cols - col);
            use->pack(b.data() + col * depth, 1, depth, depth, width, packed.data());
            use->multiply(a.data(), depth, packed.data(), rows, width, depth, c.data() + col, cols, false);
          }
          use->dots(a.data(), depth, b.data(), depth, rows, cols, depth, dots.data(), cols);
          std::vector<float> turned(b.size());
          for (Index i = 0; i < cols * depth; ++i)
            turned[static_cast<std::size_t>(i % depth * cols + i / depth)] = b[static_cast<std::size_t>(i)];
          use->sum_rows(a.data(), depth, turned.data(), cols, rows, cols, depth, sums.data(), cols);
          bool good = true;
          for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < cols; ++j) {
              const auto at = static_cast<std::size_t>(i * cols + j);
              const auto right = static_cast<float>(dot(a, b, i, j, depth));
              good = good && agrees(c[at], right) && agrees(dots[at], right) && agrees(sums[at], right);
            }
          }
          CAPTURE(depth, rows, cols);
          CHECK(good);
        }
      }
    }
  }
}

TEST_CASE("every kernel packs a row-major matrix to the same numbers as a column-major one", "[attention]") {
  for (const Kernels* use : available_kernels()) {
    for (const Index depth : {9, 70}) {
      for (const Index cols : {use->panel - 1, use->panel}) {
        const std::vector<float> by_rows = some(depth * cols, "b");
        std::vector<float> by_cols(by_rows.size()), one(static_cast<std::size_t>(depth * use->panel), 7), other = one;
        bool right = true;
        use->pack(by_rows.data(), cols, 1, depth, cols, one.data());
        for (Index k = 0; k < depth; ++k) {
          for (Index n = 0; n < use->panel; ++n) {
            const float number = n < cols ? by_rows[static_cast<std::size_t>(k * cols + n)] : 0;
            if (n < cols) by_cols[static_cast<std::size_t>(n * depth + k)] = number;
            right = right && one[static_cast<std::size_t>(k * use->panel + n)] == number;
          }
        }
        use->pack(by_cols.data(), 1, depth, depth, cols, other.data());
        CAPTURE(use->name, depth, cols);
        CHECK(right);
        CHECK(one == other);
      }
    }
  }
}

TEST_CASE("exponentials, tanh and softmax of every kernel agree with float64", "[attention]") {
  std::vector<float> x;
  for (int i = -880; i <= 880; ++i) x.push_back(static_cast<float>(i) * 0.1F);
  for (const Kernels* use : available_kernels()) {
    CAPTURE(use->name);
    std::vector<float> e = x;
    use->exponentials(e.data(), static_cast<Index>(e.size()), 0);
    const std::vector<float> t = after(x, [&](float* p, Index n) { use->cap(p, n, 5); });
    const std::vector<float> w = after(x, [&](float* p, Index n) { use->softmax(p, n, 80); });
    double sum = std::exp(80.0);
    for (const float v : x) sum += std::exp(static_cast<double>(v));
    bool good = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double v = static_cast<double>(x[i]), right = std::exp(v);
      good = good && std::abs(static_cast<double>(e[i]) - right) <= 3e-7 * right;
      good = good && std::abs(static_cast<double>(t[i]) - 5 * std::tanh(v / 5)) <= 2e-6;
      good = good && std::abs(static_cast<double>(w[i]) - right / sum) <= 2e-5 * right / sum + 1e-44;
    }
    CHECK(good);
    std::vector<float> tiny{-100, -103, -200, -inf};
    use->exponentials(tiny.data(), 4, 0);
    CHECK(tiny[0] > 0);
    CHECK(tiny[2] == 0);
    CHECK(tiny[3] == 0);
  }
}

TEST_CASE("softmax of every kernel has NaN and zeros where PyTorch has them", "[attention]") {
  for (const Kernels* use : available_kernels()) {
    CAPTURE(use->name);
    for (const std::size_t n : {3U, 40U, 133U}) {
      const auto softmax = [&](std::vector<float> x) {
        return after(std::move(x), [&](float* p, Index c) { use->softmax(p, c, -inf); });
      };
      std::vector<float> dead(n, -inf);
      for (const float v : softmax(dead)) CHECK(std::isnan(v));
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        std::vector<float> x = dead;
        x[at] = 3;
        std::vector<float> right(n, 0.0F);
        right[at] = 1;
        CHECK(softmax(x) == right);
        for (const float odd : {NaN, inf}) {
          x[at] = odd;
          for (const float v : softmax(x)) CHECK(std::isnan(v));
        }
      }
      CHECK(after(dead, [&](float* p, Index c) { use->softmax(p, c, 1); }) == std::vector<float>(n, 0.0F));
    }
  }
}

TEST_CASE("every kernel masks, copies, and finds zeros and numbers that are not finite", "[attention]") {
  for (const Kernels* use : available_kernels()) {
    CAPTURE(use->name);
    for (const Index n : {1, 16, 100, 131}) {
      const auto count = static_cast<std::size_t>(n);
      std::vector<float> x = some(n, "x"), may(count, 1), copied(count + 1, 9), streamed = copied;
      may[count / 2] = 0;
      x[count / 2] = NaN;
      CHECK_FALSE(use->finite(x.data(), n));
      std::vector<float> masked = x;
      use->mask(masked.data(), may.data(), n, -5);
      CHECK(masked[count / 2] == -5);
      CHECK(use->finite(masked.data(), n));
      CHECK(use->reach(masked.data(), n) == 5);
      CHECK(use->largest(masked.data(), n, -9) < 5);
      use->copy(masked.data(), copied.data(), n);
      use->stream(masked.data(), streamed.data(), n);
      CHECK(copied == streamed);
      CHECK(copied.back() == 9);
      std::vector<float> zeros(count, -0.0F);
      Index first = -1, end = -1;
      use->bounds(zeros.data(), n, &first, &end);
      CHECK(first == end);
      zeros[count / 2] = NaN;
      use->bounds(zeros.data(), n, &first, &end);
      CHECK(first == n / 2);
      CHECK(end == n / 2 + 1);
    }
  }
}

TEST_CASE("one sweep gives bit for bit what its stages give one after the other", "[attention]") {
  for (const Index n : {7, 150, 1100}) {
    ScoreSteps steps;
    steps.queries = sampled({1, 4, 97, 24}, "q");
    steps.keys = sampled({1, 2, n, 24}, "k");
    steps.values = sampled({1, 2, n, 20}, "v");
    steps.scale = ScaleParameters{0.3F};
    steps.cap = CapParameters{2.0F};
    steps.added = AddedTerms{{{sampled({4, 1, n}, "bias")}}};
    Buffer may(static_cast<std::size_t>(97 * n));
    for (Index i = 0; i < 97 * n; ++i) may[static_cast<std::size_t>(i)] = i % n <= i / n ? 1.0F : 0.0F;
    steps.mask = Tensor({97, n}, std::move(may)).expand({1, 4, 97, n});
    steps.fill.fill = -inf;
    Workers three;
    three.threads = 3;
    const SweptStages whole = sweep(steps, Stage::scores, Stage::head_outputs, {}, three);
    Tensor before;
    for (const Stage stage : {Stage::scores, Stage::scaled_scores, Stage::capped_scores, Stage::biased_scores,
                              Stage::masked_scores, Stage::weights, Stage::head_outputs}) {
      before = sweep(steps, stage, stage, before, {})[stage];
      const Tensor one = before.contiguous(), other = whole[stage].contiguous();
      CAPTURE(n, name(stage));
      CHECK(std::ranges::equal(one.values(), other.values()));
    }
  }
}

TEST_CASE("a projection of a few rows equals those rows of a projection of many", "[attention]") {
  const Tensor x = sampled({1, 40, 200}, "x"), weight = sampled({130, 200}, "w"), bias = sampled({130}, "b");
  const Tensor many = project(x, weight, bias);
  CHECK_THAT(project(x.slice(1, 0, 7), weight, bias), agrees_with(many.slice(1, 0, 7)));
}
