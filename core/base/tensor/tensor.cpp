#include "core/base/tensor/tensor.h"

#include <algorithm>
#include <cassert>

#include "core/base/tensor/matrix_source.h"

namespace headlight {
namespace {

std::vector<Index> packed_strides(const Shape& shape) {
  std::vector<Index> strides(shape.size());
  Index step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

constexpr float no_number = 0;

}  // namespace

float MatrixView::computed(Index at) const { return source->cell(first + at); }

MatrixView MatrixView::part(Index row, Index count, Index col, Index width) const {
  const Index at = row * row_stride + col * col_stride;
  return {data ? data + at : nullptr, count, width, row_stride, col_stride, source, first + at};
}

const float* MatrixView::whole_row(Index row, Buffer& room) const {
  if (data && col_stride == 1) return data + row * row_stride;
  room.resize(static_cast<std::size_t>(cols));
  if (!data && col_stride == 1) {
    source->read(first + row * row_stride, cols, room.data());
  } else {
    for (Index col = 0; col < cols; ++col) room[static_cast<std::size_t>(col)] = (*this)(row, col);
  }
  return room.data();
}

std::string to_string(const Shape& shape) {
  constexpr std::size_t most = 16;
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(shape.size(), most); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() > most ? ", … of " + std::to_string(shape.size()) + " axes]" : "]");
}

Index element_count(const Shape& shape) {
  Index count = 1;
  for (const Index size : shape) count *= size;
  return count;
}

Tensor::Tensor(Shape shape, Buffer values) {
  assert(element_count(shape) == static_cast<Index>(values.size()));
  const auto owner = std::make_shared<const Buffer>(std::move(values));
  // An empty tensor is defined as well, and shares its storage only with its views.
  storage_ = std::shared_ptr<const float>(owner, owner->empty() ? &no_number : owner->data());
  std::vector<Index> strides = packed_strides(shape);
  layout_ = std::make_shared<const Layout>(Layout{std::move(shape), std::move(strides), 0});
}

Tensor Tensor::in_memory(Shape shape, std::shared_ptr<const float> memory) {
  Tensor result;
  result.storage_ = std::move(memory);
  std::vector<Index> strides = packed_strides(shape);
  result.layout_ = std::make_shared<const Layout>(Layout{std::move(shape), std::move(strides), 0});
  return result;
}

Tensor Tensor::computed_by(Shape shape, std::shared_ptr<const MatrixSource> source) {
  assert(shape.size() >= 2 && shape.end()[-1] == source->cols() && shape.end()[-2] == source->rows());
  std::vector<Index> strides = packed_strides(shape);
  Tensor result;
  result.storage_ = std::shared_ptr<const float>(source, &no_number);
  result.layout_ = std::make_shared<const Layout>(Layout{std::move(shape), std::move(strides), 0, std::move(source)});
  return result;
}

const Tensor::Layout& Tensor::layout() const {
  static const Layout none;
  return layout_ ? *layout_ : none;
}

Tensor Tensor::seen_as(Layout layout) const {
  Tensor result = *this;
  result.layout_ = std::make_shared<const Layout>(std::move(layout));
  return result;
}

Tensor Tensor::full(Shape shape, float value) {
  Buffer values(static_cast<std::size_t>(element_count(shape)), value);
  return Tensor(std::move(shape), std::move(values));
}

Tensor Tensor::of(Shape shape, std::initializer_list<float> values) {
  return Tensor(std::move(shape), Buffer(values.begin(), values.end()));
}

Index Tensor::size(Index axis) const {
  if (axis < 0) axis += rank();
  assert(axis >= 0 && axis < rank());
  return shape()[static_cast<std::size_t>(axis)];
}

bool Tensor::is_contiguous() const {
  const auto& [shape, strides, offset, source] = layout();
  Index step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != 1 && strides[axis] != step) return false;
    step *= shape[axis];
  }
  return true;
}

float Tensor::at(std::span<const Index> index) const {
  const auto& [shape, strides, offset, source] = layout();
  assert(defined() && index.size() == shape.size());
  Index position = offset;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    assert(index[axis] >= 0 && index[axis] < shape[axis]);
    position += index[axis] * strides[axis];
  }
  return source ? source->cell(position) : storage_.get()[position];
}

float Tensor::at(std::initializer_list<Index> index) const { return at(std::span(index.begin(), index.size())); }

MatrixView Tensor::matrix(Index b, Index h) const {
  assert(defined() && rank() <= 4);
  const auto& [shape, strides, offset, source] = layout();
  const auto axis = [&](Index from_end) -> std::size_t { return static_cast<std::size_t>(rank() - from_end); };
  MatrixView m;
  Index position = offset;
  if (rank() >= 1) {
    m.cols = shape[axis(1)];
    m.col_stride = strides[axis(1)];
  } else {
    m.cols = 1;
  }
  m.rows = 1;
  if (rank() >= 2) {
    m.rows = shape[axis(2)];
    m.row_stride = strides[axis(2)];
  }
  if (rank() == 3) position += b * strides[axis(3)];
  if (rank() == 4) position += h * strides[axis(3)] + b * strides[axis(4)];
  m.data = source ? nullptr : storage_.get() + position;
  m.source = source.get();
  m.first = source ? position : 0;
  return m;
}

std::span<const float> Tensor::values() const {
  assert(defined() && is_contiguous() && !source());
  return {storage_.get() + layout().offset, static_cast<std::size_t>(count())};
}

void Tensor::read(Index first, Index count, float* to) const {
  assert(defined() && is_contiguous());
  const Index at = layout().offset + first;
  source() ? source()->read(at, count, to) : void(std::copy_n(storage_.get() + at, count, to));
}

Tensor Tensor::view(Shape shape) const {
  assert(element_count(shape) == count());
  const Tensor packed = is_contiguous() ? *this : contiguous();
  std::vector<Index> strides = packed_strides(shape);
  return packed.seen_as({std::move(shape), std::move(strides), packed.layout().offset, packed.layout().source});
}

Tensor Tensor::transpose(Index axis_a, Index axis_b) const {
  const auto a = static_cast<std::size_t>(axis_a < 0 ? axis_a + rank() : axis_a);
  const auto b = static_cast<std::size_t>(axis_b < 0 ? axis_b + rank() : axis_b);
  Layout swapped = layout();
  assert(a < swapped.shape.size() && b < swapped.shape.size());
  std::swap(swapped.shape[a], swapped.shape[b]);
  std::swap(swapped.strides[a], swapped.strides[b]);
  return seen_as(std::move(swapped));
}

Tensor Tensor::expand(const Shape& wanted) const {
  const auto& [shape, strides, offset, source] = layout();
  assert(broadcastable(shape, wanted));
  Layout wide{wanted, std::vector<Index>(wanted.size(), 0), offset, source};
  const std::size_t lead = wanted.size() - shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == wanted[lead + axis]) wide.strides[lead + axis] = strides[axis];
  }
  return seen_as(std::move(wide));
}

Tensor Tensor::slice(Index axis, Index first, Index length) const {
  const auto a = static_cast<std::size_t>(axis < 0 ? axis + rank() : axis);
  Layout part = layout();
  assert(a < part.shape.size() && first >= 0 && length >= 0 && first + length <= part.shape[a]);
  part.offset += first * part.strides[a];
  part.shape[a] = length;
  return seen_as(std::move(part));
}

Tensor Tensor::contiguous() const {
  const auto& [shape, strides, offset, source] = layout();
  if (is_contiguous() && !source) return *this;
  Buffer values;
  values.reserve(static_cast<std::size_t>(count()));
  // Counts through all axes but the last, whose numbers are copied as one range.
  std::vector<Index> index(shape.size(), 0);
  const Index run = shape.back();
  const Index step = strides.back();
  if (count() > 0) {
    while (true) {
      Index position = offset;
      for (std::size_t axis = 0; axis + 1 < index.size(); ++axis) position += index[axis] * strides[axis];
      if (source && step == 1) {
        values.resize(values.size() + static_cast<std::size_t>(run));
        source->read(position, run, values.data() + values.size() - run);
      } else {
        for (Index i = 0; i < run; ++i)
          values.push_back(source ? source->cell(position + i * step) : storage_.get()[position + i * step]);
      }
      std::size_t axis = index.size() - 1;
      while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
      if (axis == 0) break;
    }
  }
  return Tensor(shape, std::move(values));
}

bool identical(const Tensor& a, const Tensor& b) {
  return a.storage_ == b.storage_ && (a.layout_ == b.layout_ || a.layout() == b.layout());
}

Tensor joined(std::span<const Tensor> parts) {
  Shape shape = parts.front().shape();
  shape.front() = 0;
  for (const Tensor& part : parts) shape.front() += part.size(0);
  Buffer values;
  values.reserve(static_cast<std::size_t>(element_count(shape)));
  for (const Tensor& part : parts) {
    const Tensor packed = part.contiguous();
    values.insert(values.end(), packed.values().begin(), packed.values().end());
  }
  return Tensor(std::move(shape), std::move(values));
}

bool broadcastable(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  return std::equal(from.rbegin(), from.rend(), to.rbegin(), [](Index a, Index b) { return a == b || a == 1; });
}

}  // namespace headlight
