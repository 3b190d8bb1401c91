#include "core/attention/rope.h"

#include <cassert>
#include <cmath>
#include <vector>

namespace headlight {
namespace {

struct Turn {
  float cos, sin;
};

// [n, d/2], angles in double: at position 4096 a float32 angle is already off by 2e-4.
std::vector<Turn> turns(Index positions, Index pairs, double base) {
  std::vector<double> frequencies;
  for (Index j = 0; j < pairs; ++j) {
    frequencies.push_back(std::pow(base, -static_cast<double>(j) / static_cast<double>(pairs)));
  }
  std::vector<Turn> table;
  table.reserve(static_cast<std::size_t>(positions * pairs));
  for (Index i = 0; i < positions; ++i) {
    for (const double frequency : frequencies) {
      const double angle = static_cast<double>(i) * frequency;
      table.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
    }
  }
  return table;
}

}  // namespace

Tensor rotate(const Tensor& heads, Rope pairing, float base, const Workers& workers) {
  assert(pairing != Rope::none && heads.size(-1) % 2 == 0);
  const Index pairs = heads.size(-1) / 2;
  const std::vector<Turn> table = turns(heads.size(2), pairs, static_cast<double>(base));
  return by_rows(heads.shape(), 4, workers, [&](Index b, Index h, Index position, std::span<float> to) {
    const std::span<const float> from = row_of(heads, b, h, position);
    for (Index j = 0; j < pairs; ++j) {
      const Turn turn = table[static_cast<std::size_t>(position * pairs + j)];
      const auto first = static_cast<std::size_t>(pairing == Rope::half ? j : 2 * j);
      const auto second = static_cast<std::size_t>(pairing == Rope::half ? j + pairs : 2 * j + 1);
      to[first] = from[first] * turn.cos - from[second] * turn.sin;
      to[second] = from[first] * turn.sin + from[second] * turn.cos;
    }
  });
}

}  // namespace headlight
