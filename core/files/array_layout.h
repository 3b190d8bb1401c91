// The layout of an array in its bytes, and how its numbers are read.
#pragma once

#include <optional>

#include "core/files/byte_reader.h"
#include "core/files/dtype.h"
#include "core/tensor/tensor.h"

namespace headlight {

struct ArrayLayout {
  DType dtype = DType::f32;
  Shape shape;
  std::vector<Index> strides;  ///< in elements, not negative
  std::uint64_t offset = 0;    ///< of the first element, in bytes from where the array's reader starts
  bool big_endian = false;
};

/// The number of elements; nothing if a size is negative, if the axes are more than 64, or if the bytes of that many
/// elements would not fit 63 bits. Unlike element_count, safe on any numbers from a file.
std::optional<Index> checked_count(const Shape& shape);
/// Row-major and column-major strides of a shape that checked_count accepts.
std::vector<Index> row_major_strides(const Shape& shape);
std::vector<Index> column_major_strides(const Shape& shape);
/// Elements from the first to the last one in memory; nothing on overflow or a negative stride.
std::optional<Index> checked_extent(const Shape& shape, const std::vector<Index>& strides);

/// The array as float32 in row-major order. The layout must have passed both checks above.
Tensor read_array(const ArrayLayout& layout, ByteReader& reader);
/// Rows of a matrix, or the parts at indices of the first axis, in this order, as [rows, cols]. `reader` is read up
/// to the last of them, once.
Tensor read_rows(const ArrayLayout& layout, std::span<const Index> rows, ByteReader& reader);
/// The numbers of an array in row-major order, unrounded.
std::vector<double> read_unrounded(const ArrayLayout& layout, ByteReader& reader);
/// The only number of an array of one element, unrounded.
double read_number(const ArrayLayout& layout, ByteReader& reader);

}  // namespace headlight
