// Sampler: seeded random numbers that are the same bits on every platform (std's distributions are not).
//
// The generator is xoshiro256** (Blackman & Vigna 2018). A stream is named by a string, so that the numbers of "W_q" do
// not depend on the shapes of other tensors. All arithmetic on the way to a float is exact or rounded once.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <string_view>

#include "core/base/tensor/tensor.h"

namespace headlight {

class Sampler {
 public:
  /// Functions that return a tensor throw Cancelled when `stop` asks to stop.
  Sampler(std::uint64_t seed, std::string_view stream, std::stop_token stop = {});

  /// Uniform in [0, 1), in steps of 2⁻²⁴.
  float uniform();
  /// Approximately normal, with mean 0 and deviation 1: the sum of 12 uniform numbers minus 6 (Irwin–Hall), within ±6.
  float normal();
  /// Uniform between low and high.
  Tensor uniform(Shape shape, float low, float high);
  Tensor normal(Shape shape);
  /// The same numbers as uniform(), but computed when they are read: for matrices of gigabytes.
  Tensor uniform_on_demand(Index rows, Index cols, float low, float high) const;

 private:
  std::uint64_t next();
  template <typename Draw>
  Tensor filled(Shape shape, std::uint64_t words_a_number, Draw draw);

  std::array<std::uint64_t, 4> state_;
  std::stop_token stop_;
};

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

/// Uniform in [0, 1), a multiple of 2^−24.
constexpr float philox_uniform(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24F; }

}  // namespace headlight
