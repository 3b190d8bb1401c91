// Products of the cells that a mask lets through, beside the sums as they are defined.
#include "core/compute/training/seen_products.h"

#include <functional>
#include <random>

#include "core/compute/training/linear.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

using Sees = std::function<bool(Index, Index)>;

Buffer drawn(Index count, std::mt19937& random) {
  std::uniform_real_distribution<float> each(-1, 1);
  Buffer values(static_cast<std::size_t>(count));
  for (float& value : values) value = each(random);
  return values;
}

/// Whether the products of one mask are the sums, where the stored rows are wider than what is multiplied.
void check_products(Index n, Index d, const Sees& sees) {
  const Index stride = d + 3;
  std::mt19937 random(1);
  const Buffer a = drawn(n * stride, random), b = drawn(n * stride, random);
  Buffer packed(static_cast<std::size_t>(packed_room(std::max(n, d)))), cells(static_cast<std::size_t>(n * n), 7.0F);
  const auto at = [&](const Buffer& of, Index row, Index col, Index width) {
    return static_cast<double>(of[static_cast<std::size_t>(row * width + col)]);
  };
  const auto by_query = seen_blocks(n, sees);
  const auto by_key = seen_blocks(n, [&](Index key, Index query) { return sees(query, key); });
  seen_scores(by_query, a.data(), stride, b.data(), stride, n, d, cells.data(), packed.data());
  for (Index q = 0; q < n; ++q) {
    for (Index k = 0; k < n; ++k) {
      double sum = 0;
      for (Index i = 0; i < d; ++i) sum += at(a, q, i, stride) * at(b, k, i, stride);
      float& cell = cells[static_cast<std::size_t>(q * n + k)];
      if (sees(q, k)) CHECK(static_cast<double>(cell) == Approx(sum).margin(1e-4));
      else CHECK((cell == 0 || static_cast<double>(cell) == Approx(sum).margin(1e-4)));
      if (!sees(q, k)) cell = 0;  // as the mask and the softmax leave it
    }
  }
  for (const bool add : {false, true}) {
    Buffer sums(static_cast<std::size_t>(n * stride), 2.0F), across = sums;
    seen_sums(by_query, cells.data(), b.data(), stride, n, d, sums.data(), stride, add, packed.data());
    seen_sums_across(by_key, cells.data(), b.data(), stride, n, d, across.data(), stride, add, packed.data());
    for (Index row = 0; row < n; ++row) {
      for (Index i = 0; i < stride; ++i) {
        double sum = i < d && !add ? 0 : 2, turned = sum;
        for (Index j = 0; i < d && j < n; ++j) {
          sum += at(cells, row, j, n) * at(b, j, i, stride);
          turned += at(cells, j, row, n) * at(b, j, i, stride);
        }
        CHECK(at(sums, row, i, stride) == Approx(sum).margin(1e-4));
        CHECK(at(across, row, i, stride) == Approx(turned).margin(1e-4));
      }
    }
  }
}

}  // namespace

TEST_CASE("products of the cells that a mask lets through are the sums over them, for every mask and size",
          "[training]") {
  const Sees masks[] = {[](Index, Index) { return true; }, [](Index q, Index k) { return k <= q; },
                        [](Index q, Index k) { return q - k >= 0 && q - k < 5; },
                        [](Index q, Index k) { return k > q + 20; },  // the last queries and the first keys have none
                        [](Index, Index) { return false; }};
  for (const auto& [n, d] : {std::pair<Index, Index>{1, 1}, {7, 3}, {20, 16}, {70, 33}, {130, 70}}) {
    for (const Sees& mask : masks) check_products(n, d, mask);
  }
}

TEST_CASE("a causal mask halves the cells that are computed, a window leaves its band", "[training]") {
  const auto computed = [](Index n, const Sees& sees) {
    Index cells = 0;
    for (const SeenBlock& block : seen_blocks(n, sees)) cells += block.count * (block.until - block.from);
    return static_cast<double>(cells) / static_cast<double>(n * n);
  };
  CHECK(computed(128, [](Index, Index) { return true; }) == 1);
  CHECK(computed(128, [](Index q, Index k) { return k <= q; }) < 0.55);
  CHECK(computed(128, [](Index q, Index k) { return std::abs(q - k) < 4; }) < 0.2);
}
