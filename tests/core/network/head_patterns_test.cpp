// Patterns of heads, measured on weights with known patterns.
#include "core/compute/network/head_patterns.h"

#include "tests/core/network/networks.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

/// Weights of one head in which each query has weight 1 on the key `at(query)`.
template <typename At>
Tensor weights_at(Index n, At at) {
  Buffer values(static_cast<std::size_t>(n * n), 0.0F);
  for (Index q = 0; q < n; ++q) values[static_cast<std::size_t>(q * n + at(q))] = 1;
  return Tensor({1, 1, n, n}, std::move(values));
}

TokenBatch tokens_of(std::initializer_list<Index> ids) {
  TokenBatch batch;
  for (const Index id : ids) batch.entries.resize(1), batch.entries[0].push_back({id, std::to_string(id)});
  batch.lengths = {static_cast<Index>(ids.size())};
  return batch;
}

}  // namespace

TEST_CASE("a head that attends to the previous token has the pattern previous as its strongest") {
  const TokenBatch tokens = tokens_of({4, 5, 6, 7, 8});
  const HeadPatterns head =
      head_patterns_of(weights_at(5, [](Index q) { return q > 0 ? q - 1 : 0; }), tokens, tokens)[0];
  CHECK(head[HeadPattern::previous] == Approx(1));
  CHECK(head[HeadPattern::first] == Approx(0.25));
  CHECK(head[HeadPattern::duplicate] == 0);
  CHECK(head.strongest() == HeadPattern::previous);
  CHECK(head.entropy == 0);
}

TEST_CASE("an induction head attends to the token after an equal one, a duplicate head to the equal one") {
  const TokenBatch tokens = tokens_of({4, 5, 6, 4, 5});
  const HeadPatterns after =
      head_patterns_of(weights_at(5, [](Index q) { return q >= 3 ? q - 2 : q; }), tokens, tokens)[0];
  CHECK(after[HeadPattern::induction] == Approx(1));
  CHECK(after.rows[static_cast<std::size_t>(HeadPattern::induction)] == 2);
  const HeadPatterns same =
      head_patterns_of(weights_at(5, [](Index q) { return q >= 3 ? q - 3 : q; }), tokens, tokens)[0];
  CHECK(same[HeadPattern::duplicate] == Approx(1));
}

TEST_CASE("a head that spreads its weight evenly has entropy one and no pattern") {
  const TokenBatch tokens = tokens_of({1, 2, 3, 4});
  const HeadPatterns head = head_patterns_of(Tensor::full({1, 1, 4, 4}, 0.25F), tokens, tokens)[0];
  CHECK(head.entropy == Approx(1));
  CHECK_FALSE(head.strongest().has_value());
}
