#include "core/tensor/tensor.h"

#include <algorithm>
#include <cassert>

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

}  // namespace

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Index element_count(const Shape& shape) {
  Index count = 1;
  for (const Index size : shape) count *= size;
  return count;
}

Tensor::Tensor(Shape shape, Buffer values)
    : storage_(std::make_shared<const Buffer>(std::move(values))), shape_(std::move(shape)) {
  assert(element_count(shape_) == static_cast<Index>(storage_->size()));
  strides_ = packed_strides(shape_);
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
  return shape_[static_cast<std::size_t>(axis)];
}

bool Tensor::is_contiguous() const {
  Index step = 1;
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    if (shape_[axis] != 1 && strides_[axis] != step) return false;
    step *= shape_[axis];
  }
  return true;
}

float Tensor::at(std::span<const Index> index) const {
  assert(defined() && index.size() == shape_.size());
  Index position = offset_;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    assert(index[axis] >= 0 && index[axis] < shape_[axis]);
    position += index[axis] * strides_[axis];
  }
  return (*storage_)[static_cast<std::size_t>(position)];
}

float Tensor::at(std::initializer_list<Index> index) const { return at(std::span(index.begin(), index.size())); }

MatrixView Tensor::matrix(Index b, Index h) const {
  assert(defined() && rank() <= 4);
  const auto axis = [&](Index from_end) -> std::size_t { return static_cast<std::size_t>(rank() - from_end); };
  MatrixView m;
  Index position = offset_;
  if (rank() >= 1) {
    m.cols = shape_[axis(1)];
    m.col_stride = strides_[axis(1)];
  } else {
    m.cols = 1;
  }
  m.rows = 1;
  if (rank() >= 2) {
    m.rows = shape_[axis(2)];
    m.row_stride = strides_[axis(2)];
  }
  if (rank() == 3) position += b * strides_[axis(3)];
  if (rank() == 4) position += h * strides_[axis(3)] + b * strides_[axis(4)];
  m.data = storage_->data() + position;
  return m;
}

std::span<const float> Tensor::values() const {
  assert(defined() && is_contiguous());
  return {storage_->data() + offset_, static_cast<std::size_t>(count())};
}

Tensor Tensor::view(Shape shape) const {
  assert(element_count(shape) == count());
  Tensor result = contiguous();
  result.shape_ = std::move(shape);
  result.strides_ = packed_strides(result.shape_);
  return result;
}

Tensor Tensor::transpose(Index axis_a, Index axis_b) const {
  const auto a = static_cast<std::size_t>(axis_a < 0 ? axis_a + rank() : axis_a);
  const auto b = static_cast<std::size_t>(axis_b < 0 ? axis_b + rank() : axis_b);
  assert(a < shape_.size() && b < shape_.size());
  Tensor result = *this;
  std::swap(result.shape_[a], result.shape_[b]);
  std::swap(result.strides_[a], result.strides_[b]);
  return result;
}

Tensor Tensor::expand(const Shape& shape) const {
  assert(broadcastable(shape_, shape));
  Tensor result = *this;
  result.shape_ = shape;
  result.strides_.assign(shape.size(), 0);
  const std::size_t lead = shape.size() - shape_.size();
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    if (shape_[axis] == shape[lead + axis]) result.strides_[lead + axis] = strides_[axis];
  }
  return result;
}

Tensor Tensor::slice(Index axis, Index first, Index length) const {
  const auto a = static_cast<std::size_t>(axis < 0 ? axis + rank() : axis);
  assert(a < shape_.size() && first >= 0 && length >= 0 && first + length <= shape_[a]);
  Tensor result = *this;
  result.offset_ += first * strides_[a];
  result.shape_[a] = length;
  return result;
}

Tensor Tensor::contiguous() const {
  if (is_contiguous()) return *this;
  Buffer values;
  values.reserve(static_cast<std::size_t>(count()));
  // An odometer over all axes but the last, whose run is copied in one go.
  std::vector<Index> index(shape_.size(), 0);
  const Index run = shape_.back();
  const Index step = strides_.back();
  if (count() > 0) {
    while (true) {
      Index position = offset_;
      for (std::size_t axis = 0; axis + 1 < index.size(); ++axis) position += index[axis] * strides_[axis];
      const float* source = storage_->data() + position;
      for (Index i = 0; i < run; ++i) values.push_back(source[i * step]);
      std::size_t axis = index.size() - 1;
      while (axis > 0 && ++index[axis - 1] == shape_[axis - 1]) index[--axis] = 0;
      if (axis == 0) break;
    }
  }
  return Tensor(shape_, std::move(values));
}

bool identical(const Tensor& a, const Tensor& b) {
  return a.storage_ == b.storage_ && a.offset_ == b.offset_ && a.shape_ == b.shape_ && a.strides_ == b.strides_;
}

bool broadcastable(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  return std::equal(from.rbegin(), from.rend(), to.rbegin(),
                    [](Index a, Index b) { return a == b || a == 1; });
}

}  // namespace headlight
