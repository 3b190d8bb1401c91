#include "core/architecture/packed_weights.h"

#include <array>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

/// E4M3: a sign, four bits of exponent and three of fraction, no infinities (Micikevicius et al. 2022).
float from_e4m3(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 3 & 15), fraction = static_cast<int>(bits & 7);
  if ((bits & 127) == 127) return std::numeric_limits<float>::quiet_NaN();
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9)
                                   : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  return bits > 127 ? -size : size;
}

std::array<float, 256> all_of_e4m3() {
  std::array<float, 256> numbers{};
  for (unsigned bits = 0; bits < 256; ++bits) numbers[bits] = from_e4m3(bits);
  return numbers;
}

}  // namespace

Tensor from_mxfp4(const Tensor& codes, const Tensor& scales) {
  constexpr std::array<float, 16> table{0, .5F, 1, 1.5F, 2, 3, 4, 6, 0, -.5F, -1, -1.5F, -2, -3, -4, -6};
  const Tensor bytes = codes.contiguous(), powers = scales.contiguous();
  Buffer values;
  values.reserve(static_cast<std::size_t>(32 * powers.count()));
  const float* byte = bytes.values().data();
  for (const float power : powers.values()) {
    const float scale = std::ldexp(1.0F, static_cast<int>(power) - 127);
    for (int i = 0; i < 16; ++i) {
      const auto pair = static_cast<unsigned>(*byte++);
      values.push_back(table[pair & 15] * scale);
      values.push_back(table[pair >> 4 & 15] * scale);
    }
  }
  const Index rows = scales.size(0);
  return Tensor({rows, rows == 0 ? 0 : 32 * powers.count() / rows}, std::move(values));
}

Tensor from_fp8(const Tensor& codes, const Tensor& scales, Index rows, Index columns, std::span<const Index> which) {
  static const std::array<float, 256> numbers = all_of_e4m3();
  const Tensor bits = codes.contiguous();
  const MatrixView scale = scales.matrix();
  const float* from = bits.values().data();
  Buffer values;
  values.reserve(static_cast<std::size_t>(codes.count()));
  for (Index row = 0; row < codes.size(0); ++row) {
    const Index of = which.empty() ? row : which[static_cast<std::size_t>(row)];
    for (Index col = 0; col < codes.size(1); ++col)
      values.push_back(numbers[static_cast<std::size_t>(*from++)] * scale(of / rows, col / columns));
  }
  return Tensor(codes.shape(), std::move(values));
}

}  // namespace headlight
