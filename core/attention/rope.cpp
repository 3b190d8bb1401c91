#include "core/attention/rope.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headlight {
namespace {

struct Turn {
  float cos, sin;
};

// The turns [n, r/2]. Angles are doubles: at position 4096 a float32 angle is already wrong by 2e-4.
std::vector<Turn> turns(const Rotation& rotation, Index rows, const Workers& workers) {
  constexpr Index rows_a_block = 1024;
  constexpr double operations = 60;  // cost of a sine and a cosine in double
  const auto pairs = static_cast<Index>(rotation.frequencies.size());
  std::vector<Turn> table(static_cast<std::size_t>(rows * pairs));
  workers.run(
      (rows + rows_a_block - 1) / rows_a_block, operations * static_cast<double>(rows * pairs), [&](Index block) {
        for (Index row = block * rows_a_block; row < std::min(rows, (block + 1) * rows_a_block); ++row) {
          for (Index j = 0; j < pairs; ++j) {
            const double angle = rotation.angle(row, j);
            table[static_cast<std::size_t>(row * pairs + j)] = {static_cast<float>(rotation.gain * std::cos(angle)),
                                                                static_cast<float>(rotation.gain * std::sin(angle))};
          }
        }
      });
  return table;
}

}  // namespace

RotaryPair Rotation::pair_of(Index channel) const {
  const auto pairs = static_cast<Index>(frequencies.size());
  if (pairing == Rope::half) return {channel % pairs, channel % pairs + pairs, channel % pairs};
  return {channel - channel % 2, channel - channel % 2 + 1, channel / 2};
}

double Rotation::angle(Index row, Index j) const {
  return static_cast<double>(first_position + row) * frequencies[static_cast<std::size_t>(j)];
}

Tensor rotate(const Tensor& heads, const Rotation& rotation, const Workers& workers) {
  assert(rotation.pairing != Rope::none && rotation.turned() <= heads.size(-1));
  const auto pairs = static_cast<Index>(rotation.frequencies.size());
  const std::vector<Turn> table = turns(rotation, heads.size(2), workers);
  std::vector<RotaryPair> channels;
  for (Index j = 0; j < pairs; ++j) channels.push_back(rotation.pair(j));
  return by_rows(heads.shape(), 4, workers, [&](Index b, Index h, Index row, std::span<float> to) {
    const std::span<const float> from = row_of(heads, b, h, row);
    for (Index j = 0; j < pairs; ++j) {
      const Turn turn = table[static_cast<std::size_t>(row * pairs + j)];
      const RotaryPair& pair = channels[static_cast<std::size_t>(j)];
      const auto first = static_cast<std::size_t>(pair.first), second = static_cast<std::size_t>(pair.second);
      to[first] = from[first] * turn.cos - from[second] * turn.sin;
      to[second] = from[first] * turn.sin + from[second] * turn.cos;
    }
    std::copy(from.begin() + 2 * pairs, from.end(), to.begin() + 2 * pairs);
  });
}

}  // namespace headlight
