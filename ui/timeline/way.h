// How a matrix product is computed before one's eyes.
#pragma once

#include <cstdint>

namespace headlight {

enum class Way : std::uint8_t {
  rows,     ///< row at a time
  columns,  ///< column at a time
  dot,      ///< dot product: number at a time
  outer,    ///< outer product: all numbers at once, a term of their sums at a time
};
inline constexpr int way_count = 4;

}  // namespace headlight
