// The tolerance for all numbers: |a − b| ≤ 1e-5 + 1e-4·|b|, with infinities and NaN in the same places.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "core/base/tensor/tensor.h"
#include "tests/catch.h"

namespace headlight {

inline constexpr float inf = std::numeric_limits<float>::infinity();
inline constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

inline bool agrees(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= 1e-5 + 1e-4 * std::abs(static_cast<double>(b));
}

#ifdef HEADLIGHT_CATCH3
template <typename T>
using CatchMatcher = Catch::Matchers::MatcherBase<T>;
#else
template <typename T>
using CatchMatcher = Catch::MatcherBase<T>;
#endif

/// CHECK_THAT(got, agrees_with(expected)): same shape, and every number within that tolerance.
class AgreesWith : public CatchMatcher<Tensor> {
 public:
  explicit AgreesWith(Tensor expected) : expected_(expected.contiguous()) {}

  bool match(const Tensor& got) const override {
    if (!got.defined() || got.shape() != expected_.shape()) {
      difference_ = "has shape " + (got.defined() ? to_string(got.shape()) : "(undefined)") + ", not " +
                    to_string(expected_.shape());
      return false;
    }
    const Tensor packed = got.contiguous();
    for (std::size_t i = 0; i < packed.values().size(); ++i) {
      if (agrees(packed.values()[i], expected_.values()[i])) continue;
      difference_ = "has " + std::to_string(packed.values()[i]) + " at flat index " + std::to_string(i) +
                    " where was expected " + std::to_string(expected_.values()[i]);
      return false;
    }
    return true;
  }
  std::string describe() const override { return difference_.empty() ? "agrees" : difference_; }

 private:
  Tensor expected_;
  mutable std::string difference_;
};

inline AgreesWith agrees_with(const Tensor& expected) { return AgreesWith(expected); }

}  // namespace headlight

namespace Catch {
template <>
struct StringMaker<headlight::Tensor> {
  static std::string convert(const headlight::Tensor& t) {
    return t.defined() ? "tensor " + headlight::to_string(t.shape()) : "undefined tensor";
  }
};
}  // namespace Catch
