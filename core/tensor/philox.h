// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"), what PyTorch and JAX draw from on
// GPUs: a random number is a function of a key and a counter, so that any one can be had without the others.
#pragma once

#include <array>
#include <cstdint>

namespace headlight {

constexpr std::array<std::uint32_t, 4> philox(std::uint64_t counter, std::uint64_t key) {
  std::array<std::uint32_t, 4> c{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0};
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return c;
}

/// In [0, 1), a multiple of 2^−24.
constexpr float philox_uniform(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24F; }

}  // namespace headlight
