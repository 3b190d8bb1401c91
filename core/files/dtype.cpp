#include "core/files/dtype.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace headlight {
namespace {

struct HalfBits {
  std::uint16_t bits;
  operator float() const { return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits)); }
};
struct BrainBits {
  std::uint16_t bits;
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};
struct BoolByte {
  std::uint8_t byte;
  operator float() const { return byte != 0 ? 1.0f : 0.0f; }
};

/// Calls `use` with a value of the type whose bytes `dtype` stands for.
template <typename Use>
auto with_type(DType dtype, Use use) {
  switch (dtype) {
    case DType::f16: return use(HalfBits{});
    case DType::bf16: return use(BrainBits{});
    case DType::f32: return use(float{});
    case DType::f64: return use(double{});
    case DType::i8: return use(std::int8_t{});
    case DType::u8: return use(std::uint8_t{});
    case DType::i16: return use(std::int16_t{});
    case DType::u16: return use(std::uint16_t{});
    case DType::i32: return use(std::int32_t{});
    case DType::u32: return use(std::uint32_t{});
    case DType::i64: return use(std::int64_t{});
    case DType::u64: return use(std::uint64_t{});
    case DType::boolean: break;
  }
  return use(BoolByte{});
}

template <typename T>
T element(const std::byte* bytes, bool swap) {
  std::array<std::byte, sizeof(T)> raw;
  std::copy_n(bytes, sizeof(T), raw.begin());
  if (swap) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

bool must_swap(bool big_endian) { return big_endian != (std::endian::native == std::endian::big); }

}  // namespace

std::size_t byte_size(DType dtype) {
  return with_type(dtype, [](auto type) { return sizeof(type); });
}

std::string_view name(DType dtype) {
  static constexpr std::array<std::string_view, 13> names = {"float16", "bfloat16", "float32", "float64", "int8",
                                                             "uint8",   "int16",    "uint16",  "int32",   "uint32",
                                                             "int64",   "uint64",   "bool"};
  return names[static_cast<std::size_t>(dtype)];
}

bool is_native_float(DType dtype, bool big_endian) { return dtype == DType::f32 && !must_swap(big_endian); }

void decode(DType dtype, bool big_endian, std::span<const std::byte> bytes, std::span<float> out) {
  assert(bytes.size() == out.size() * byte_size(dtype));
  const bool swap = must_swap(big_endian);
  if (out.empty()) return;
  if (is_native_float(dtype, big_endian)) {
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return;
  }
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<float>(element<T>(bytes.data() + i * sizeof(T), swap));
    }
  });
}

double decode_number(DType dtype, bool big_endian, std::span<const std::byte> bytes) {
  assert(bytes.size() == byte_size(dtype));
  return with_type(dtype, [&](auto type) {
    return static_cast<double>(element<decltype(type)>(bytes.data(), must_swap(big_endian)));
  });
}

}  // namespace headlight
