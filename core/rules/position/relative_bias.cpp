#include "core/rules/position/relative_bias.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/sampler.h"

namespace headlight {
namespace {

// [H, n_q + n_k − 1] from value(h, k − q).
template <typename Value>
Tensor table_by_distance(Index heads, Index n_q, Index n_k, Value value) {
  return from_cells(heads, n_q + n_k - 1, [&](Index h, Index i) { return value(h, i + 1 - n_q); });
}

}  // namespace

std::vector<double> alibi_slopes(Index heads) {
  assert(heads > 0);
  const auto of_power = [](Index power, Index h) {
    return std::exp2(-8.0 * static_cast<double>(h + 1) / static_cast<double>(power));
  };
  const auto lower = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  std::vector<double> slopes;
  for (Index h = 0; h < lower; ++h) slopes.push_back(of_power(lower, h));
  for (Index h = 0; lower + h < heads; ++h) slopes.push_back(of_power(2 * lower, 2 * h));
  return slopes;
}

Index t5_bucket(Index distance, bool bidirectional, Index all, Index furthest) {
  const Index buckets = bidirectional ? all / 2 : all;
  const Index first = bidirectional && distance > 0 ? buckets : 0;
  const Index magnitude = bidirectional ? std::abs(distance) : std::max<Index>(0, -distance);
  // Half of the buckets are for one distance each; the width of the others grows with the logarithm of the distance.
  const Index exact = buckets / 2;
  if (magnitude < exact) return first + magnitude;
  // log2 is exact at powers of two, and the limits of the buckets are there.
  const double growth = std::log2(static_cast<double>(magnitude) / static_cast<double>(exact)) /
                        std::log2(static_cast<double>(furthest) / static_cast<double>(exact));
  const auto above = static_cast<Index>(growth * static_cast<double>(buckets - exact));
  return first + std::min(exact + above, buckets - 1);
}

Tensor t5_table(Index heads, std::uint64_t seed) { return Sampler(seed, "t5_bias").normal({heads, t5_buckets}); }

Tensor alibi_by_distance(Index heads, Index n_q, Index n_k, Index query_offset, bool symmetric) {
  const std::vector<double> slopes = alibi_slopes(heads);
  return table_by_distance(heads, n_q, n_k, [&](Index h, Index distance) {
    const auto ahead = static_cast<double>(distance - query_offset);
    return static_cast<float>(slopes[static_cast<std::size_t>(h)] * (symmetric ? -std::abs(ahead) : ahead));
  });
}

Tensor t5_by_distance(const Tensor& table, bool bidirectional, Index n_q, Index n_k, Index query_offset,
                      Index furthest) {
  return table_by_distance(table.size(0), n_q, n_k, [&](Index h, Index distance) {
    return table.at({h, t5_bucket(distance - query_offset, bidirectional, table.size(1), furthest)});
  });
}

Tensor t5_bias(const Tensor& table, bool bidirectional, Index n_q, Index n_k, Index query_offset, Index furthest) {
  return from_cells(table.size(1), n_q, n_k, [&](Index h, Index q, Index k) {
    return table.at({t5_bucket(k - query_offset - q, bidirectional, table.size(0), furthest), h});
  });
}

std::vector<double> mpt_slopes(Index heads, double most) {
  const auto all = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(heads)));
  std::vector<double> slopes;
  const auto slope = [&](Index i) { return std::exp2(-most * static_cast<double>(i + 1) / static_cast<double>(all)); };
  if (all == heads) {
    for (Index i = 0; i < all; ++i) slopes.push_back(slope(i));
    return slopes;
  }
  for (const Index first : {1, 0}) {
    for (Index i = first; i < all && std::ssize(slopes) < heads; i += 2) slopes.push_back(slope(i));
  }
  return slopes;
}

Tensor bias_of_slopes(const std::vector<double>& slopes, Index n_q, Index n_k, Index query_offset) {
  return from_cells(std::ssize(slopes), n_q, n_k, [&](Index h, Index q, Index k) {
    return static_cast<float>(slopes[static_cast<std::size_t>(h)] * static_cast<double>(k - query_offset - q));
  });
}

Tensor falcon_alibi(Index heads, Index n_q, Index n_k, double scale) {
  const auto rounded = [](double value) {  // to bfloat16, to nearest even
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return std::bit_cast<float>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) & 0xFFFF0000U);
  };
  const std::vector<double> slopes = alibi_slopes(heads);
  return from_cells(heads, n_q, n_k, [&](Index h, Index, Index k) {
    const double slope = rounded(slopes[static_cast<std::size_t>(h)]), key = rounded(static_cast<double>(k));
    return static_cast<float>(scale * static_cast<double>(rounded(slope * key)));
  });
}

}  // namespace headlight
