#include "core/teaching/diagnosis/mistake_pairs.h"

#include <algorithm>
#include <string_view>

namespace headlight {

std::optional<Variant> both(const Variant& a, const Variant& b) {
  Variant pair;
  if (a.settings && b.settings)
    pair.settings = [first = a.settings, second = b.settings](Scenario& s) { first(s), second(s); };
  else pair.settings = a.settings ? a.settings : b.settings;
  pair.rules = a.rules;
  pair.saved = a.saved;
  for (const auto& rule : b.rules) {
    if (!pair.rules.insert(rule).second) return {};
  }
  for (const auto& saved : b.saved) {
    if (!pair.saved.insert(saved).second) return {};
  }
  return pair;
}

std::vector<std::pair<std::size_t, std::size_t>> likely_pairs(const std::vector<KnownVariant>& known,
                                                              bool only_last_differs) {
  using enum Mistake::Kind;
  struct Pair {
    std::size_t first, second, round, places;
  };
  const auto round_of = [](Mistake::Kind a, Mistake::Kind b) -> std::size_t {
    if (a != mask) std::swap(a, b);
    if (a != mask) return 2;
    return b == step ? 0 : b == other ? 1 : 3;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (std::size_t j = i + 1; j < known.size(); ++j) {
      const KnownVariant &a = known[i], &b = known[j];
      const std::size_t round = round_of(a.mistake->kind, b.mistake->kind);
      const bool both_common = !a.variant.rare && !b.variant.rare;
      const bool may_be = round < 2 || only_last_differs || (round == 2 && both_common);
      if (may_be && std::string_view(a.mistake->id) != b.mistake->id) pairs.push_back({i, j, round, a.place + b.place});
    }
  }
  std::ranges::stable_sort(pairs, {}, [](const Pair& pair) { return std::pair(pair.places, pair.round); });
  std::vector<std::pair<std::size_t, std::size_t>> ordered;
  for (const Pair& pair : pairs) ordered.emplace_back(pair.first, pair.second);
  return ordered;
}

}  // namespace headlight
