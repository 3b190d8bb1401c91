// The hash behind random() and bigbird(), in a few lines that anyone can repeat in any language:
//
//   mix(x):  x = (x ^ x >> 16) * 0x45d9f3b;  x = (x ^ x >> 16) * 0x45d9f3b;  x = x ^ x >> 16       (mod 2^32)
//   hash(seed, i, j) = mix(mix(mix(seed + 0x9e3779b9) + i) + j)                                    (mod 2^32)
//
// mix is a bijection of the 32-bit words, so for fixed (seed, i) no two j share a hash. Its factor is small enough that
// 64-bit integers, all that PyTorch has, never overflow.
//   random(p, seed): hash(seed, q, k) < p · 2^32.
//   bigbird(block, w, g, r, seed): the r blocks drawn for query block i are the r key blocks j of lowest hash(seed, i,
//   j).
#pragma once

#include <cstdint>

namespace headlight {

constexpr std::uint32_t mix(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x45d9f3bu;
  x = (x ^ (x >> 16)) * 0x45d9f3bu;
  return x ^ (x >> 16);
}

/// What hash(seed, i, ·) has in common: hash(seed, i, j) = mix(hash_prefix(seed, i) + j).
constexpr std::uint32_t hash_prefix(std::uint32_t seed, std::uint32_t i) { return mix(mix(seed + 0x9e3779b9u) + i); }

}  // namespace headlight
