#include "core/compute/attention/norm_and_rotation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>
namespace headlight {
namespace {

double squares_in(std::span<const float> x, double mean) {
  double squares = 0;
  for (const float value : x) squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  return squares;
}

/// A learned number for a channel, or for a channel of a head if there are that many. `usual` if nothing is learned.
double learned(const Tensor& numbers, Index head, Index channel, Index d, double usual) {
  return numbers.defined() ? static_cast<double>(numbers.at({numbers.count() > d ? head * d + channel : channel}))
                           : usual;
}

}  // namespace

double HeadNorm::gain_of(Index head, Index channel, Index d) const { return learned(gain, head, channel, d, 1); }
double HeadNorm::bias_of(Index head, Index channel, Index d) const { return learned(bias, head, channel, d, 0); }

RowNorm norm_of_row(const Tensor& heads, const HeadNorm& norm, Index batch, Index head, Index row) {
  const Index d = heads.size(3), first = norm.over_all_heads ? 0 : head,
              end = norm.over_all_heads ? heads.size(1) : head + 1;
  const auto count = static_cast<double>(d * (end - first));
  double mean = 0, squares = 0;
  for (Index h = first; norm.kind == QkNorm::layer && h < end; ++h) {
    for (const float value : row_of(heads, batch, h, row)) mean += static_cast<double>(value) / count;
  }
  for (Index h = first; h < end; ++h) squares += squares_in(row_of(heads, batch, h, row), mean);
  if (norm.kind == QkNorm::l2) return {0, std::max(std::sqrt(squares), l2_epsilon)};
  return {mean, std::sqrt(squares / count + norm.epsilon)};
}

Tensor normalise_heads(const Tensor& heads, const HeadNorm& norm, const Workers& workers) {
  assert(norm.kind != QkNorm::none);
  const Index count = heads.size(1), rows = heads.size(2), d = heads.size(3);
  assert(!norm.gain.defined() || norm.gain.count() == count * d || (!norm.over_all_heads && norm.gain.count() == d));
  std::vector<RowNorm> shared;  // [B, n], if one norm is over all heads
  if (norm.over_all_heads) {
    for (Index b = 0; b < heads.size(0); ++b) {
      for (Index row = 0; row < rows; ++row) shared.push_back(norm_of_row(heads, norm, b, 0, row));
    }
  }
  std::vector<double> gains, biases;  // [H, d]
  for (Index h = 0; h < count; ++h) {
    for (Index i = 0; i < d; ++i) {
      gains.push_back(norm.gain_of(h, i, d));
      biases.push_back(norm.bias_of(h, i, d));
    }
  }
  return by_rows(heads.shape(), 8, workers, [&](Index b, Index h, Index row, std::span<float> to) {
    const std::span<const float> from = row_of(heads, b, h, row);
    const auto [mean, divisor] =
        shared.empty() ? norm_of_row(heads, norm, b, h, row) : shared[static_cast<std::size_t>(b * rows + row)];
    const double *gain = gains.data() + h * d, *bias = biases.data() + h * d;
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<float>((static_cast<double>(from[i]) - mean) / divisor * gain[i] + bias[i]);
  });
}

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
