// What each operation of the mask language computes. This is said once: folding calls it with numbers, the machine with
// rows of numbers, and the verdict about a block with the ends of ranges.
#pragma once

#include <cmath>

#include "core/rules/mask/ast.h"

namespace headlight::mask {

/// ⌊x⌋ by rounding through 2^52, which compilers vectorise; numbers from 2^51 on count as whole.
inline double fast_floor(double x) {
  constexpr double magic = 6755399441055744.0;  // 1.5 · 2^52
  const double rounded = (x + magic) - magic;
  const double down = rounded - (rounded > x ? 1.0 : 0.0);
  return std::abs(x) < 2251799813685248.0 ? down : x;
}

/// -, abs and floor: numbers from one number.
constexpr bool is_of_one_number(Op op) { return op == Op::negate || op == Op::absolute || op == Op::floor; }
/// + - * / % min max: numbers from two numbers.
constexpr bool is_of_two_numbers(Op op) {
  return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide || op == Op::modulo ||
         op == Op::minimum || op == Op::maximum;
}
/// < <= > >= == !=
constexpr bool is_comparison(Op op) { return op >= Op::less && op <= Op::not_equal; }

/// Calls `use` with the function of an operation on one number.
template <typename Use>
auto with_function_of_one(Op op, Use use) {
  switch (op) {
    case Op::negate: return use([](double x) { return -x; });
    case Op::absolute: return use([](double x) { return std::abs(x); });
    default: return use([](double x) { return fast_floor(x); });
  }
}

/// Calls `use` with the function of an operation on two numbers. The remainder has the sign of the divisor.
template <typename Use>
auto with_function_of_two(Op op, Use use) {
  switch (op) {
    case Op::add: return use([](double x, double y) { return x + y; });
    case Op::subtract: return use([](double x, double y) { return x - y; });
    case Op::multiply: return use([](double x, double y) { return x * y; });
    case Op::divide: return use([](double x, double y) { return x / y; });
    case Op::minimum: return use([](double x, double y) { return y < x ? y : x; });
    case Op::maximum: return use([](double x, double y) { return y > x ? y : x; });
    default: return use([](double x, double y) { return x - fast_floor(x / y) * y; });
  }
}

/// Calls `use` with a comparison; == and != also compare two conditions.
template <typename Use>
auto with_comparison(Op op, Use use) {
  switch (op) {
    case Op::less: return use([](auto x, auto y) { return x < y; });
    case Op::less_equal: return use([](auto x, auto y) { return x <= y; });
    case Op::greater: return use([](auto x, auto y) { return x > y; });
    case Op::greater_equal: return use([](auto x, auto y) { return x >= y; });
    case Op::equal: return use([](auto x, auto y) { return x == y; });
    default: return use([](auto x, auto y) { return x != y; });
  }
}

}  // namespace headlight::mask
