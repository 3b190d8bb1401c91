// Tensor: an immutable, shared, strided block of float32, in row-major order unless viewed otherwise.
//
// Copying a Tensor copies a handle, never the numbers. Views (view, transpose, expand, slice) share storage with their
// source, as in PyTorch. Once built, the numbers never change, so tensors may be read from any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/tensor/memory.h"

namespace headlight {

using Index = std::int64_t;
using Shape = std::vector<Index>;

/// "[2, 8, 5, 64]"
std::string to_string(const Shape& shape);
/// The product of all sizes; 1 for rank 0.
Index element_count(const Shape& shape);

/// Allocates on cache-line boundaries, so that no vector instruction crosses one. Large arrays come from the pool.
template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};
  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    return static_cast<T*>(bytes >= pooled_from ? allocate_block(bytes) : ::operator new(bytes, alignment));
  }
  void deallocate(T* p, std::size_t n) {
    if (n * sizeof(T) >= pooled_from) return release_block(p);
    ::operator delete(p, alignment);
  }
  /// Does not initialise a value-less element, so that the thread that fills a buffer is the first to touch its pages.
  template <typename U, typename... Values>
  void construct(U* p, Values&&... values) {
    if constexpr (sizeof...(values) > 0) ::new (static_cast<void*>(p)) U(std::forward<Values>(values)...);
  }
  bool operator==(const AlignedAllocator&) const = default;
};

/// The storage that tensors are built from: fill a Buffer, then move it into a Tensor. `Buffer(n)` has n uninitialised
/// numbers, `Buffer(n, 0)` zeros.
using Buffer = std::vector<float, AlignedAllocator<float>>;

class MatrixSource;

/// A view of the last two axes of a tensor at one (b, h). Valid while the Tensor lives.
struct MatrixView {
  const float* data = nullptr;  ///< null if `source` computes the numbers
  Index rows = 0;
  Index cols = 0;
  Index row_stride = 0;  ///< in elements
  Index col_stride = 0;  ///< in elements
  const MatrixSource* source = nullptr;
  Index first = 0;  ///< index in the source of the number at row 0, column 0
  float operator()(Index row, Index col) const {
    const Index at = row * row_stride + col * col_stride;
    return data ? data[at] : computed(at);
  }
  /// Rows [row, row + count), columns [col, col + width).
  MatrixView part(Index row, Index count, Index col, Index width) const;
  /// A row as contiguous memory: the row itself, or a copy of it in `room`.
  const float* whole_row(Index row, Buffer& room) const;
  /// Whether both are views of the same memory with the same strides.
  bool operator==(const MatrixView&) const = default;

 private:
  float computed(Index at) const;
};

class Tensor {
 public:
  /// The absent tensor: `defined()` is false.
  Tensor() = default;
  /// Takes ownership of the numbers; asserts that their count fits the shape.
  Tensor(Shape shape, Buffer values);

  /// Numbers in memory that `memory` owns.
  static Tensor in_memory(Shape shape, std::shared_ptr<const float> memory);
  /// Numbers that are computed when they are read (core/base/tensor/matrix_source.h). Asserts that the rows and columns
  /// of the source are the last two sizes.
  static Tensor computed_by(Shape shape, std::shared_ptr<const MatrixSource> source);

  static Tensor full(Shape shape, float value);
  static Tensor of(Shape shape, std::initializer_list<float> values);

  bool defined() const { return storage_ != nullptr; }
  const Shape& shape() const { return layout().shape; }
  const std::vector<Index>& strides() const { return layout().strides; }
  Index rank() const { return static_cast<Index>(shape().size()); }
  /// The length of an axis; negative axes count from the end.
  Index size(Index axis) const;
  Index count() const { return element_count(shape()); }
  bool is_contiguous() const;
  /// The source that computes the numbers when they are read; null if the numbers are in memory. A view has the source
  /// of its tensor.
  const MatrixSource* source() const { return layout().source.get(); }

  float at(std::initializer_list<Index> index) const;
  float at(std::span<const Index> index) const;
  /// The last two axes at (b, h). A [n, d] tensor ignores both indices, a [B, n, d] tensor ignores h; a vector is one
  /// row.
  MatrixView matrix(Index b = 0, Index h = 0) const;
  /// All numbers in row-major order; asserts that the tensor is contiguous and in memory.
  std::span<const float> values() const;
  /// `count` numbers in row-major order from index `first` on; asserts that the tensor is contiguous.
  void read(Index first, Index count, float* to) const;

  /// The same numbers under another shape; copies only if not contiguous.
  Tensor view(Shape shape) const;
  Tensor transpose(Index axis_a, Index axis_b) const;
  /// Broadcast to `shape`, aligned at the last axis as in NumPy, without copying; asserts that it fits.
  Tensor expand(const Shape& shape) const;
  /// `length` entries of one axis from `first` on.
  Tensor slice(Index axis, Index first, Index length) const;
  /// The tensor itself if it is contiguous and in memory, otherwise a packed copy.
  Tensor contiguous() const;

  /// Whether both are views of the same memory with the same shape and strides. Cheap: used to decide what to
  /// recompute.
  friend bool identical(const Tensor& a, const Tensor& b);

 private:
  struct Layout {
    Shape shape;
    std::vector<Index> strides;
    Index offset = 0;
    std::shared_ptr<const MatrixSource> source{};
    bool operator==(const Layout&) const = default;
  };
  const Layout& layout() const;
  Tensor seen_as(Layout layout) const;

  // Two handles: copying a tensor allocates nothing.
  std::shared_ptr<const float> storage_;
  std::shared_ptr<const Layout> layout_;
};

bool identical(const Tensor& a, const Tensor& b);
/// Concatenates the parts along the first axis, like torch.cat; all other sizes are equal.
Tensor joined(std::span<const Tensor> parts);
/// Whether `from` can be broadcast to `to` by NumPy's rule (aligned at the last axis; sizes equal or 1).
bool broadcastable(const Shape& from, const Shape& to);

}  // namespace headlight
