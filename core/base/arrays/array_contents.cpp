#include "core/base/arrays/array_contents.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

namespace headlight {
namespace {

constexpr std::size_t max_rank = 64;
constexpr Index max_count = std::numeric_limits<Index>::max() / 8;
constexpr std::size_t chunk_elements = std::size_t{1} << 17;

Buffer read_elements(const ArrayLayout& layout, Index extent, ByteReader& reader) {
  Buffer values(static_cast<std::size_t>(extent));
  if (is_native_float(layout.dtype, layout.big_endian)) {
    reader.read(std::as_writable_bytes(std::span(values)));
    return values;
  }
  const std::size_t size = byte_size(layout.dtype);
  std::vector<std::byte> raw(std::min(values.size(), chunk_elements) * size);
  for (std::size_t done = 0; done < values.size();) {
    const std::size_t count = std::min(values.size() - done, chunk_elements);
    const std::span bytes(raw.data(), count * size);
    reader.read(bytes);
    decode(layout.dtype, layout.big_endian, bytes, std::span(values).subspan(done, count));
    done += count;
  }
  return values;
}

Buffer gather(const ArrayLayout& layout, const Buffer& source) {
  const Shape& shape = layout.shape;
  Buffer values(static_cast<std::size_t>(element_count(shape)));
  std::vector<Index> index(shape.size(), 0);
  Index position = 0;
  for (float& value : values) {
    value = source[static_cast<std::size_t>(position)];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (shape[axis] == 1) continue;  // the stride of such an axis may be any number
      position += layout.strides[axis];
      if (++index[axis] < shape[axis]) break;
      position -= shape[axis] * layout.strides[axis];
      index[axis] = 0;
    }
  }
  return values;
}

bool is_row_major(const ArrayLayout& layout) {
  const std::vector<Index> packed = row_major_strides(layout.shape);
  for (std::size_t axis = 0; axis < packed.size(); ++axis) {
    if (layout.shape[axis] != 1 && layout.strides[axis] != packed[axis]) return false;
  }
  return true;
}

}  // namespace

std::optional<Index> checked_count(const Shape& shape) {
  if (shape.size() > max_rank) return {};
  Index product = 1;  // the product of the sizes that are not 0: it limits the strides as well
  bool empty = false;
  for (const Index size : shape) {
    if (size < 0) return {};
    if (size == 0) {
      empty = true;
    } else if (product > max_count / size) {
      return {};
    } else {
      product *= size;
    }
  }
  return empty ? 0 : product;
}

std::vector<Index> row_major_strides(const Shape& shape) {
  std::vector<Index> strides(shape.size());
  Index step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis]) strides[axis] = step;
  return strides;
}

std::vector<Index> column_major_strides(const Shape& shape) {
  std::vector<Index> strides(shape.size());
  Index step = 1;
  for (std::size_t axis = 0; axis < shape.size(); step *= shape[axis++]) strides[axis] = step;
  return strides;
}

std::optional<Index> checked_extent(const Shape& shape, const std::vector<Index>& strides) {
  assert(shape.size() == strides.size());
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  Index last = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (strides[axis] < 0) return {};
    const Index steps = shape[axis] - 1;
    if (steps > 0 && strides[axis] > (max_count - 1 - last) / steps) return {};
    last += steps * strides[axis];
  }
  return last + 1;
}

Tensor read_array(const ArrayLayout& layout, ByteReader& reader) {
  const std::optional<Index> extent = checked_extent(layout.shape, layout.strides);
  assert(checked_count(layout.shape) && extent);
  if (*extent == 0) return Tensor(layout.shape, {});
  reader.skip(layout.offset);
  Buffer values = read_elements(layout, *extent, reader);
  reader.finish();
  if (is_row_major(layout)) return Tensor(layout.shape, std::move(values));
  return Tensor(layout.shape, gather(layout, values));
}

Tensor read_rows(const ArrayLayout& layout, std::span<const Index> rows, ByteReader& reader) {
  assert(layout.shape.size() >= 2);
  const Index cols = element_count(layout.shape) / std::max<Index>(1, layout.shape.front());
  const auto width = static_cast<std::size_t>(cols);
  Buffer values(rows.size() * width);
  const auto copy_row = [&](std::size_t place, std::span<const float> row) {
    std::copy(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(place * width));
  };
  if (!is_row_major(layout)) {  // a row is not one range of bytes
    const Tensor whole = read_array(layout, reader);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      copy_row(i, whole.values().subspan(static_cast<std::size_t>(rows[i]) * width, width));
    }
    return Tensor({static_cast<Index>(rows.size()), cols}, std::move(values));
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows[i]; });
  const std::uint64_t row_bytes = width * byte_size(layout.dtype);
  ArrayLayout row{layout.dtype, {cols}, {1}, layout.offset, layout.big_endian};
  Tensor numbers;
  Index next = 0;  // the row at which the reader stands
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Index wanted = rows[order[i]];
    if (i == 0 || wanted != rows[order[i - 1]]) {  // a text often has the same token twice
      row.offset += static_cast<std::uint64_t>(wanted - next) * row_bytes;
      reader.skip(std::exchange(row.offset, 0));
      numbers = Tensor(row.shape, read_elements(row, cols, reader));
      next = wanted + 1;
    }
    copy_row(order[i], numbers.values());
  }
  return Tensor({static_cast<Index>(rows.size()), cols}, std::move(values));
}

std::vector<double> read_unrounded(const ArrayLayout& layout, ByteReader& reader) {
  const std::size_t width = byte_size(layout.dtype);
  const std::optional<Index> extent = checked_extent(layout.shape, layout.strides);
  assert(checked_count(layout.shape) && extent);
  if (*extent == 0) return {};
  std::vector<std::byte> raw(static_cast<std::size_t>(*extent) * width);
  reader.skip(layout.offset);
  reader.read(raw);
  std::vector<double> values(static_cast<std::size_t>(*checked_count(layout.shape)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t at = 0, rest = i;
    for (std::size_t axis = layout.shape.size(); axis-- > 0; rest /= static_cast<std::size_t>(layout.shape[axis]))
      at += rest % static_cast<std::size_t>(layout.shape[axis]) * static_cast<std::size_t>(layout.strides[axis]);
    values[i] = decode_number(layout.dtype, layout.big_endian, std::span(raw).subspan(at * width, width));
  }
  return values;
}

double read_number(const ArrayLayout& layout, ByteReader& reader) {
  assert(checked_count(layout.shape) == 1);
  return read_unrounded(layout, reader).front();
}

}  // namespace headlight
