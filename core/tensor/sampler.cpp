#include "core/tensor/sampler.h"

#include <bit>
#include <utility>

namespace headlight {
namespace {

// FNV-1a, 64 bits.
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

// SplitMix64 (Steele, Lea & Flood 2014), the generator that xoshiro's authors seed it with.
std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <typename Draw>
Tensor filled(Shape shape, Draw draw) {
  Buffer values(static_cast<std::size_t>(element_count(shape)));
  for (float& value : values) value = draw();
  return Tensor(std::move(shape), std::move(values));
}

}  // namespace

Sampler::Sampler(std::uint64_t seed, std::string_view stream) {
  // The seed is mixed before the stream joins it, so that neighbouring seeds share no streams.
  std::uint64_t mixed = seed;
  mixed = split_mix(mixed) ^ hash(stream);
  for (std::uint64_t& word : state_) word = split_mix(mixed);
}

std::uint64_t Sampler::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

float Sampler::uniform() {
  return static_cast<float>(next() >> 40) * 0x1p-24f;
}

float Sampler::normal() {
  // Three 21-bit uniform integers from each of four words; their sum less its mean fits a float's 24 bits exactly.
  std::int64_t sum = 0;
  for (int word = 0; word < 4; ++word) {
    const std::uint64_t bits = next();
    for (const int shift : {43, 22, 1}) sum += static_cast<std::int64_t>((bits >> shift) & 0x1fffff);
  }
  const std::int64_t mean = 6 * ((std::int64_t{1} << 21) - 1);
  return static_cast<float>(sum - mean) * 0x1p-21f;
}

Tensor Sampler::uniform(Shape shape, float low, float high) {
  // The product of two floats is exact in double, so a fused multiply-add changes nothing.
  const double span = static_cast<double>(high - low);
  const double start = static_cast<double>(low);
  return filled(std::move(shape), [&] { return static_cast<float>(start + span * static_cast<double>(uniform())); });
}

Tensor Sampler::normal(Shape shape) {
  return filled(std::move(shape), [&] { return normal(); });
}

}  // namespace headlight
