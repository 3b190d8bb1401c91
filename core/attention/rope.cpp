#include "core/attention/rope.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace headlight {
namespace {

struct Turn {
  float cos, sin;
};

// [n, pairs], angles in double: at position 4096 a float32 angle is already off by 2e-4.
std::vector<Turn> turns(Index positions, std::span<const double> frequencies, double gain) {
  std::vector<Turn> table;
  table.reserve(static_cast<std::size_t>(positions) * frequencies.size());
  for (Index i = 0; i < positions; ++i) {
    for (const double frequency : frequencies) {
      const double angle = static_cast<double>(i) * frequency;
      table.push_back({static_cast<float>(gain * std::cos(angle)), static_cast<float>(gain * std::sin(angle))});
    }
  }
  return table;
}

}  // namespace

Tensor rotate(const Tensor& heads, Rope pairing, float base, const Workers& workers) {
  assert(heads.size(-1) % 2 == 0);
  const Index pairs = heads.size(-1) / 2;
  std::vector<double> frequencies;
  for (Index j = 0; j < pairs; ++j) {
    frequencies.push_back(std::pow(static_cast<double>(base), -static_cast<double>(j) / static_cast<double>(pairs)));
  }
  return rotate(heads, pairing, frequencies, 1, workers);
}

Tensor rotate(const Tensor& heads, Rope pairing, std::span<const double> frequencies, double gain, const Workers& workers) {
  assert(pairing != Rope::none);
  const auto pairs = static_cast<Index>(frequencies.size());
  assert(2 * pairs <= heads.size(-1));
  const std::vector<Turn> table = turns(heads.size(2), frequencies, gain);
  return by_rows(heads.shape(), 4, workers, [&](Index b, Index h, Index position, std::span<float> to) {
    const std::span<const float> from = row_of(heads, b, h, position);
    for (Index j = 0; j < pairs; ++j) {
      const Turn turn = table[static_cast<std::size_t>(position * pairs + j)];
      const auto first = static_cast<std::size_t>(pairing == Rope::half ? j : 2 * j);
      const auto second = static_cast<std::size_t>(pairing == Rope::half ? j + pairs : 2 * j + 1);
      to[first] = from[first] * turn.cos - from[second] * turn.sin;
      to[second] = from[first] * turn.sin + from[second] * turn.cos;
    }
    std::copy(from.begin() + 2 * pairs, from.end(), to.begin() + 2 * pairs);
  });
}

}  // namespace headlight
