#include "core/rules/mask/statistics.h"

#include <algorithm>
#include <cmath>

#include "core/base/tensor/error.h"
#include "core/rules/mask/evaluate.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

Tensor mask_of(const std::string& expression, Index n_q, Index n_k, Index heads = 1) {
  MaskContext context;
  context.n_q = n_q;
  context.n_k = n_k;
  context.heads = heads;
  return evaluate(MaskExpression::parse(expression), context);
}

/// The boolean power Mᴸ, computed layer by layer.
std::vector<std::vector<bool>> slow_reach(const Tensor& mask, Index layers, bool residual) {
  const Index n = mask.size(-1);
  const auto allowed = [&](Index q, Index k) { return mask.at({0, 0, q, k}) != 0 || (residual && q == k); };
  const auto size = static_cast<std::size_t>(n);
  std::vector<std::vector<bool>> result(size, std::vector<bool>(size));
  for (Index i = 0; i < n; ++i) result[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)] = true;
  for (Index l = 0; l < layers; ++l) {
    std::vector<std::vector<bool>> next(size, std::vector<bool>(size));
    for (Index q = 0; q < n; ++q) {
      for (Index via = 0; via < n; ++via) {
        if (!allowed(q, via)) continue;
        for (std::size_t k = 0; k < size; ++k) {
          if (result[static_cast<std::size_t>(via)][k]) next[static_cast<std::size_t>(q)][k] = true;
        }
      }
    }
    result = next;
  }
  return result;
}

}  // namespace

TEST_CASE("a causal mask allows the triangle and no row of it is dead") {
  const Tensor mask = mask_of("causal()", 6, 6);
  CHECK(allowed_share(mask).allowed == 21);
  CHECK(allowed_share(mask).share() == 21.0 / 36);
  CHECK(dead_rows(mask.matrix()).empty());
  CHECK(dead_rows(mask_of("k < q", 4, 4).matrix()) == std::vector<Index>{0});
  CHECK(dead_rows(mask_of("causal_bottom_right()", 5, 3).matrix()) == std::vector<Index>{0, 1});
}

TEST_CASE("blocks that allow nothing can be skipped, edge blocks included") {
  const BlockCounts counts = block_counts(mask_of("causal()", 10, 10), 4);  // 3×3 blocks, the last of 2
  CHECK(counts.empty == 3);
  CHECK(counts.partial == 3);
  CHECK(counts.full == 3);
  CHECK(counts.skipped_cells == 16 + 8 + 8);
  CHECK(block_counts(mask_of("h < 1 ? full() : !full()", 8, 8, 2), 4).empty == 4);
}

TEST_CASE("each cell says whether its block is skipped, partial or full") {
  const Tensor cells = block_cells(mask_of("causal()", 10, 10).matrix(), 4);
  CHECK(cells.at({0, 4}) == 0);
  CHECK(cells.at({0, 1}) == 1);
  CHECK(cells.at({1, 0}) == 2);
  CHECK(cells.at({4, 0}) == 3);
  CHECK(cells.at({9, 3}) == 3);
  CHECK(cells.at({9, 9}) == 2);
}

TEST_CASE("the default block size is a power of two that fits at least three times along a side") {
  CHECK(usual_block(1) == 1);
  CHECK(usual_block(6) == 2);
  CHECK(usual_block(16) == 4);
  CHECK(usual_block(64) == 16);
  CHECK(usual_block(512) == 128);
  CHECK(usual_block(4096) == 128);
}

TEST_CASE("the number of operations is proportional to the share of blocks that are left") {
  const Tensor mask = mask_of("causal()", 10, 10);
  const AttentionFlops flops = attention_flops(mask, 2, 3, 8, 4);
  CHECK(flops.dense == 2.0 * 3 * 100 * 4 * 8);
  CHECK(std::abs(flops.block_sparse - flops.dense * 0.68) < 1e-6);
  CHECK(std::abs(flops.ideal - flops.dense * 0.55) < 1e-6);
}

TEST_CASE("the key/value cache is proportional to the number of key/value heads") {
  CHECK(kv_cache_bytes_per_token(32, 128) == 16384);
  CHECK(kv_cache_bytes_per_token(8, 128) == 4096);
  CHECK(kv_cache_bytes_per_token(1, 128, 4) == 1024);
}

TEST_CASE("two masks are compared cell by cell, broadcast to one shape") {
  const MaskDifference difference = mask_difference(mask_of("causal() && window(3)", 6, 6),
                                                    mask_of("causal() && window_inclusive(3)", 6, 6).view({6, 6}));
  CHECK(difference.only_first == 0);
  CHECK(difference.only_second == 3);
  CHECK(difference.cells.at({0, 0, 3, 0}) == -1);
  CHECK(difference.cells.at({0, 0, 3, 1}) == 0);
  CHECK_THROWS_AS(mask_difference(Tensor::full({2, 3}, 1), Tensor::full({2, 4}, 1)), InputError);
}

TEST_CASE("reach is the boolean power of the mask") {
  for (const char* expression : {"causal() && window(3)", "strided(5)", "random(0.05, 3)", "not_self() && window(2)"}) {
    const Tensor mask = mask_of(expression, 70, 70);
    for (const Index layers : {1, 2, 3, 7}) {
      for (const bool residual : {false, true}) {
        const Tensor fast = reach(mask.matrix(), {layers, residual});
        const auto slow = slow_reach(mask, layers, residual);
        Index wrong = 0;
        for (Index q = 0; q < 70; ++q) {
          for (Index k = 0; k < 70; ++k) {
            wrong += (fast.at({q, k}) != 0) != slow[static_cast<std::size_t>(q)][static_cast<std::size_t>(k)];
          }
        }
        INFO(expression << " through " << layers);
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("a causal window of w sees w − 1 tokens further back with each layer") {
  const Tensor mask = mask_of("causal() && window(3)", 20, 20);
  const Tensor first = first_reach(mask.matrix(), {3, false});
  for (Index q = 0; q < 20; ++q) {
    for (Index k = 0; k < 20; ++k) {
      const Index back = q - k;
      CHECK(first.at({q, k}) == static_cast<float>(back < 0 || back > 6 ? 0 : std::max<Index>(1, (back + 1) / 2)));
    }
  }
}

TEST_CASE("a token is first reached after L layers, where L is the least power of the mask that allows it") {
  for (const char* expression : {"strided(5)", "random(0.05, 3)", "not_self() && window(2)", "k == q - 1"}) {
    const Tensor mask = mask_of(expression, 70, 70);
    for (const bool residual : {false, true}) {
      const Tensor first = first_reach(mask.matrix(), {6, residual});
      std::vector<std::vector<std::vector<bool>>> powers;
      for (Index layers = 1; layers <= 6; ++layers) powers.push_back(slow_reach(mask, layers, residual));
      Index wrong = 0;
      for (Index q = 0; q < 70; ++q) {
        for (Index k = 0; k < 70; ++k) {
          const auto has = [&](const auto& power) {
            return power[static_cast<std::size_t>(q)][static_cast<std::size_t>(k)];
          };
          const auto found = std::ranges::find_if(powers, has);
          const Index least = found == powers.end() ? 0 : found - powers.begin() + 1;
          wrong += first.at({q, k}) != static_cast<float>(least);
        }
      }
      INFO(expression << " residual " << residual);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE(
    "a query's receptive field ends at the inputs that its row of the power reaches, and every layer is on the way") {
  for (const char* expression : {"causal() && window(3)", "random(0.05, 3)", "k == q - 1", "full()"}) {
    const Tensor mask = mask_of(expression, 40, 40);
    for (const bool residual : {false, true}) {
      const auto field = receptive_field(mask.matrix(), 30, {4, residual});
      REQUIRE(field.size() == 5);
      for (Index layer = 0; layer < 4; ++layer) {
        const Tensor power = reach(mask.matrix(), {4 - layer, residual});
        for (Index k = 0; k < 40; ++k)
          CHECK(field[static_cast<std::size_t>(layer)][static_cast<std::size_t>(k)] == power.at({30, k}));
      }
      CHECK(std::count(field[4].begin(), field[4].end(), 1) == 1);
    }
  }
}

TEST_CASE("reach through several layers needs as many queries as keys") {
  const Tensor mask = mask_of("full()", 3, 5);
  CHECK(reach(mask.matrix(), {1, false}).shape() == Shape{3, 5});
  CHECK_THROWS_AS(reach(mask.matrix(), {2, false}), InputError);
  CHECK_THROWS_AS(first_reach(mask.matrix(), {2, false}), InputError);
}
