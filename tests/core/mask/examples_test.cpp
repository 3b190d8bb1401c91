// The examples of masks, compared with definitions of single cells.
#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "core/rules/mask/evaluate.h"
#include "core/rules/mask/patterns.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

using Rule = std::function<bool(Index q, Index k)>;

bool drafted(Index q, Index k) {  // k is q or one of its ancestors in the tree
  for (; q >= 0; q = q == 0 ? -1 : (q - 1) / 2) {
    if (q == k) return true;
  }
  return false;
}

bool diffused(Index q, Index k) {
  const bool q_noised = q < 12, k_noised = k < 12;
  const Index i = q % 12 / 4, j = k % 12 / 4;
  if (q_noised && k_noised) return i == j;
  if (q_noised) return i > j;
  return !k_noised && i >= j;
}

bool tiled(Index q, Index k) {
  for (const Index stride : {Index{16}, Index{4}, Index{1}}) {
    const Index at = q / 8 / stride % 4, other = k / 8 / stride % 4;
    if (std::abs(other - std::clamp(at, Index{1}, Index{2})) > 1) return false;
  }
  return true;
}

const std::map<std::string_view, Rule> rules{
    {"shared prefix", [](Index q, Index k) { return k <= q && (k < 4 || (q - 4) / 3 == (k - 4) / 3); }},
    {"per-document prefix", [](Index q, Index k) { return q / 8 == k / 8 && (k <= q || k % 8 < 3); }},
    {"images before text", [](Index q, Index k) { return q / 6 == k / 4; }},
    {"tree of drafts", drafted},
    {"blocks of drafts", [](Index q, Index k) { return k < 5 || (q / 4 == (k - 5) / 4 && (k - 5) % 4 <= q % 4); }},
    {"block diffusion", diffused},
    {"sliding tile, 3-d", tiled},
    {"same frame or same place", [](Index q, Index k) { return q / 16 == k / 16 || q % 16 == k % 16; }},
    {"every other key", [](Index q, Index k) { return k <= q && (k % 2 == 0 || q - k < 2); }},
    {"chosen keys", [](Index q, Index k) { return k <= q && (k == 0 || k == 4 || k == 8 || q - k < 3); }}};

}  // namespace

TEST_CASE("each example gives its mask, cell by cell") {
  CHECK(mask_examples().size() == rules.size());
  for (const MaskExample& example : mask_examples()) {
    CAPTURE(example.name);
    MaskContext context;
    context.n_q = example.n_q;
    context.n_k = example.n_k;
    const Tensor mask = evaluate(MaskExpression::parse(example.expression), context);
    Index wrong = 0;
    for (Index q = 0; q < example.n_q; ++q) {
      for (Index k = 0; k < example.n_k; ++k) wrong += (mask.at({0, 0, q, k}) != 0) != rules.at(example.name)(q, k);
    }
    CHECK(wrong == 0);
  }
}
