#include "core/base/tensor/sampler.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "core/base/parallel/jobs.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/matrix_source.h"

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

using State = std::array<std::uint64_t, 4>;

// Makes one step of xoshiro256** and returns the word that it generates.
std::uint64_t step(State& s) {
  const std::uint64_t result = std::rotl(s[1] * 5, 7) * 9;
  const std::uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = std::rotl(s[3], 45);
  return result;
}

/// Makes many steps at once. A step only shifts and adds bits modulo 2, so any number of steps is a matrix that
/// multiplies the 256 bits of a state.
class Jump {
 public:
  explicit Jump(std::uint64_t steps) {
    Jump one;
    for (std::size_t i = 0; i < 256; ++i) step(one.columns_[i] = unit(i));
    *this = Jump();
    for (std::size_t i = 0; i < 256; ++i) columns_[i] = unit(i);
    for (; steps > 0; steps >>= 1, one = one.after(one)) {
      if (steps & 1) *this = one.after(*this);
    }
  }
  State image(const State& s) const {
    State sum{};
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint64_t chosen = 0 - (s[i / 64] >> (i % 64) & 1);
      for (std::size_t word = 0; word < 4; ++word) sum[word] ^= chosen & columns_[i][word];
    }
    return sum;
  }

 private:
  Jump() = default;
  static State unit(std::size_t bit) {
    State s{};
    s[bit / 64] = std::uint64_t{1} << (bit % 64);
    return s;
  }
  Jump after(const Jump& first) const {
    Jump both;
    for (std::size_t i = 0; i < 256; ++i) both.columns_[i] = image(first.columns_[i]);
    return both;
  }

  std::array<State, 256> columns_{};  // the image of each bit
};

/// A number in [0, 1), in steps of 2⁻²⁴.
float fraction(State& s) { return static_cast<float>(step(s) >> 40) * 0x1p-24f; }

/// The product of two floats is exact in double, so a fused multiply-add changes nothing.
float between(float fraction, float low, float high) {
  return static_cast<float>(static_cast<double>(low) + static_cast<double>(high - low) * static_cast<double>(fraction));
}

/// A matrix of random numbers that stores the generator's state at the start of each row.
class DrawnMatrix : public MatrixSource {
 public:
  DrawnMatrix(Index rows, Index cols, State first, float low, float high)
      : MatrixSource(rows, cols, cols), low_(low), high_(high) {
    const Jump jump(static_cast<std::uint64_t>(cols));
    rows_.reserve(static_cast<std::size_t>(rows));
    for (Index row = 0; row < rows; ++row, first = jump.image(first)) rows_.push_back(first);
  }

 protected:
  void compute(Index, Index row, Index rows, Index col, Index cols, float* to) const override {
    for (Index r = row; r < row + rows; ++r) {
      State state = rows_[static_cast<std::size_t>(r)];
      for (Index c = 0; c < col; ++c) step(state);
      for (Index c = 0; c < cols; ++c) *to++ = between(fraction(state), low_, high_);
    }
  }

 private:
  std::vector<State> rows_;
  float low_, high_;
};

}  // namespace

Sampler::Sampler(std::uint64_t seed, std::string_view stream, std::stop_token stop) : stop_(std::move(stop)) {
  // The seed is mixed before the stream is added, so that neighbouring seeds have no stream in common.
  std::uint64_t mixed = seed;
  mixed = split_mix(mixed) ^ hash(stream);
  for (std::uint64_t& word : state_) word = split_mix(mixed);
}

std::uint64_t Sampler::next() { return step(state_); }

float Sampler::uniform() { return fraction(state_); }

float Sampler::normal() {
  // Three uniform 21-bit integers from each of four words. Their sum minus its mean fits the 24 bits of a float
  // exactly.
  std::int64_t sum = 0;
  for (int word = 0; word < 4; ++word) {
    const std::uint64_t bits = next();
    for (const int shift : {43, 22, 1}) sum += static_cast<std::int64_t>((bits >> shift) & 0x1fffff);
  }
  const std::int64_t mean = 6 * ((std::int64_t{1} << 21) - 1);
  return static_cast<float>(sum - mean) * 0x1p-21f;
}

// Draws many numbers on all threads. Each part begins with the state that the part before it ends with, so the numbers
// are the same as on one thread.
template <typename Draw>
Tensor Sampler::filled(Shape shape, std::uint64_t words_a_number, Draw draw) {
  constexpr std::size_t many = std::size_t{1} << 20, parts = 64;
  Buffer values(static_cast<std::size_t>(element_count(shape)));
  if (values.size() < many) {
    for (float& value : values) value = draw(*this);
    return Tensor(std::move(shape), std::move(values));
  }
  const std::size_t each = (values.size() + parts - 1) / parts;
  const Jump jump(each * words_a_number);
  std::vector<Sampler> at(parts, *this);
  for (std::size_t i = 1; i < parts; ++i) at[i].state_ = jump.image(at[i - 1].state_);
  std::atomic<std::size_t> next{0};
  work_together([&](bool calling) {
    // Two parts at a time: the steps of one part depend on each other, but not on those of the other part.
    for (std::size_t i = next++; i < parts / 2 && !stop_.stop_requested(); i = next++) {
      if (calling) breathe();
      Sampler first = at[2 * i], second = at[2 * i + 1];
      const std::size_t begin = std::min(values.size(), 2 * i * each), left = values.size() - begin;
      const std::size_t both = left > each ? std::min(each, left - each) : 0;
      float* const to = values.data() + begin;
      for (std::size_t j = 0; j < both; ++j) {
        to[j] = draw(first);
        to[each + j] = draw(second);
      }
      for (std::size_t j = both; j < std::min(each, left); ++j) to[j] = draw(first);
      at[2 * i] = first;
      at[2 * i + 1] = second;
    }
  });
  if (stop_.stop_requested()) throw Cancelled();
  *this = at[(values.size() - 1) / each];
  return Tensor(std::move(shape), std::move(values));
}

Tensor Sampler::uniform(Shape shape, float low, float high) {
  return filled(std::move(shape), 1, [=](Sampler& s) { return between(s.uniform(), low, high); });
}

Tensor Sampler::uniform_on_demand(Index rows, Index cols, float low, float high) const {
  return Tensor::computed_by({rows, cols}, std::make_shared<DrawnMatrix>(rows, cols, state_, low, high));
}

Tensor Sampler::normal(Shape shape) {
  return filled(std::move(shape), 4, [](Sampler& s) { return s.normal(); });
}

}  // namespace headlight
