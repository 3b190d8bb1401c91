// The element types of tensor files, and how their bytes become numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headlight {

enum class DType : std::uint8_t { f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64, boolean };
constexpr bool is_floating(DType dtype) { return dtype <= DType::f64; }

/// Bytes an element takes in a file.
std::size_t byte_size(DType dtype);
/// PyTorch's word: "float32", "bfloat16", "bool", …
std::string_view name(DType dtype);

/// `out.size()` elements from as many times byte_size bytes. float64 and integers are rounded to the nearest float32;
/// a boolean becomes 0 or 1.
void decode(DType dtype, bool big_endian, std::span<const std::byte> bytes, std::span<float> out);
/// Whether the bytes are float32 as this machine has them, so that they need no decoding.
bool is_native_float(DType dtype, bool big_endian);
/// One element without the rounding to float32.
double decode_number(DType dtype, bool big_endian, std::span<const std::byte> bytes);

}  // namespace headlight
