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

double rotary_frequency(double base, Index pair, Index turned) {
  return std::pow(base, -2 * static_cast<double>(pair) / static_cast<double>(turned));
}

// [n, pairs], angles in double: at position 4096 a float32 angle is already off by 2e-4.
std::vector<Turn> turns(Index positions, std::span<const double> frequencies, double gain, Index first_position) {
  std::vector<Turn> table;
  table.reserve(static_cast<std::size_t>(positions) * frequencies.size());
  for (Index i = 0; i < positions; ++i) {
    for (const double frequency : frequencies) {
      const double angle = static_cast<double>(first_position + i) * frequency;
      table.push_back({static_cast<float>(gain * std::cos(angle)), static_cast<float>(gain * std::sin(angle))});
    }
  }
  return table;
}

}  // namespace

RotaryPair rotary_pair(Rope pairing, Index channel, Index turned) {
  const Index pairs = turned / 2;
  if (pairing == Rope::half) return {channel % pairs, channel % pairs + pairs, channel % pairs};
  return {channel - channel % 2, channel - channel % 2 + 1, channel / 2};
}

double rotary_angle(const Rotation& rotation, Index turned, Index row, Index pair) {
  return static_cast<double>(rotation.first_position + row) * rotary_frequency(static_cast<double>(rotation.base), pair, turned);
}

Tensor rotate(const Tensor& heads, const Rotation& rotation, const Workers& workers) {
  const Index turned = rotation.turned(heads.size(-1));
  std::vector<double> frequencies;
  for (Index j = 0; j < turned / 2; ++j) frequencies.push_back(rotary_frequency(static_cast<double>(rotation.base), j, turned));
  return rotate(heads, rotation.pairing, frequencies, 1, workers, rotation.first_position);
}

Tensor rotate(const Tensor& heads, Rope pairing, std::span<const double> frequencies, double gain, const Workers& workers,
              Index first_position) {
  assert(pairing != Rope::none);
  const auto pairs = static_cast<Index>(frequencies.size());
  assert(2 * pairs <= heads.size(-1));
  const std::vector<Turn> table = turns(heads.size(2), frequencies, gain, first_position);
  std::vector<RotaryPair> channels;
  for (Index j = 0; j < pairs; ++j) channels.push_back(rotary_pair(pairing, pairing == Rope::half ? j : 2 * j, 2 * pairs));
  return by_rows(heads.shape(), 4, workers, [&](Index b, Index h, Index row, std::span<float> to) {
    const std::span<const float> from = row_of(heads, b, h, row);
    for (Index j = 0; j < pairs; ++j) {
      const Turn turn = table[static_cast<std::size_t>(row * pairs + j)];
      const auto first = static_cast<std::size_t>(channels[static_cast<std::size_t>(j)].first), second = static_cast<std::size_t>(channels[static_cast<std::size_t>(j)].second);
      to[first] = from[first] * turn.cos - from[second] * turn.sin;
      to[second] = from[first] * turn.sin + from[second] * turn.cos;
    }
    std::copy(from.begin() + 2 * pairs, from.end(), to.begin() + 2 * pairs);
  });
}

}  // namespace headlight
