// Values in cache keys: equal only if they are identical, so that a struct of such values can default its ==.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// Bitwise: a NaN equals itself, and −0 does not equal 0.
inline bool is_same(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }
inline bool is_same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
inline bool is_same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return is_same(x, y); });
}
/// The same memory, not just equal numbers.
inline bool is_same(const Tensor& a, const Tensor& b) { return identical(a, b); }

/// A T that is compared by is_same.
template <typename T>
class Exact : public T {
 public:
  Exact() = default;
  Exact(T value) : T(std::move(value)) {}
  friend bool operator==(const Exact& a, const Exact& b) {
    return is_same(static_cast<const T&>(a), static_cast<const T&>(b));
  }
};

template <std::floating_point T>
class Exact<T> {
 public:
  constexpr Exact(T value = 0) : value_(value) {}
  constexpr operator T() const { return value_; }
  friend bool operator==(Exact a, Exact b) { return is_same(a.value_, b.value_); }
  /// A comparison with a plain number is numerical.
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  friend bool operator==(Exact a, Number b) { return a.value_ == static_cast<T>(b); }

 private:
  T value_;
};

}  // namespace headlight
