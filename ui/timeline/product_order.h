// The order in which the step player computes a matrix product.
#pragma once

#include <cstdint>

namespace headlight {

enum class ProductOrder : std::uint8_t {
  rows,     ///< one row at a time
  columns,  ///< one column at a time
  dot,      ///< dot product: one number at a time
  outer,    ///< outer product: one term of all sums at a time
};
inline constexpr int way_count = 4;

}  // namespace headlight
