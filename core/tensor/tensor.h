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

#include "core/tensor/memory.h"

namespace headlight {

using Index = std::int64_t;
using Shape = std::vector<Index>;

/// "[2, 8, 5, 64]"
std::string to_string(const Shape& shape);
/// The product of all sizes; 1 for rank 0.
Index element_count(const Shape& shape);

/// Allocates on cache-line boundaries, so that vector instructions never straddle one; large arrays from the pool.
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
  /// Nothing for a number without a value: whoever fills a buffer touches its pages first.
  template <typename U, typename... Values>
  void construct(U* p, Values&&... values) {
    if constexpr (sizeof...(values) > 0) ::new (static_cast<void*>(p)) U(std::forward<Values>(values)...);
  }
  bool operator==(const AlignedAllocator&) const = default;
};

/// What tensors are built from: fill one, then move it into a Tensor. `Buffer(n)` holds n numbers that nobody has
/// written yet, `Buffer(n, 0)` zeros.
using Buffer = std::vector<float, AlignedAllocator<float>>;

class MatrixSource;

/// A matrix as somebody else's numbers: the last two axes of a tensor at one (b, h). Valid while its Tensor lives.
struct MatrixView {
  const float* data = nullptr;  ///< null where `source` computes the numbers
  Index rows = 0;
  Index cols = 0;
  Index row_stride = 0;  ///< in elements
  Index col_stride = 0;  ///< in elements
  const MatrixSource* source = nullptr;
  Index first = 0;  ///< the source's number at row 0, column 0
  float operator()(Index row, Index col) const {
    const Index at = row * row_stride + col * col_stride;
    return data ? data[at] : computed(at);
  }
  /// `count` rows from a row on, `width` columns from a column on.
  MatrixView part(Index row, Index count, Index col, Index width) const;
  /// A row in one piece: itself, or a copy in `room`.
  const float* whole_row(Index row, Buffer& room) const;
  /// Whether both are the same numbers, seen the same way.
  bool operator==(const MatrixView&) const = default;

 private:
  float computed(Index at) const;
};

class Tensor {
 public:
  /// The absent tensor: `defined()` is false.
  Tensor() = default;
  /// Takes the numbers over; asserts that there are as many as the shape says.
  Tensor(Shape shape, Buffer values);

  /// Numbers in somebody else's memory.
  static Tensor in_memory(Shape shape, std::shared_ptr<const float> memory);
  /// Numbers that are computed when they are read (core/tensor/matrix_source.h); asserts that its rows and columns are
  /// the last two sizes.
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
  /// What computes the numbers as they are read, for those who can ask it for less than all of them; null where they
  /// are simply there. A view has its tensor's.
  const MatrixSource* source() const { return layout().source.get(); }

  float at(std::initializer_list<Index> index) const;
  float at(std::span<const Index> index) const;
  /// The last two axes at (b, h). A [n, d] tensor has neither, a [B, n, d] tensor ignores h; a vector is one row.
  MatrixView matrix(Index b = 0, Index h = 0) const;
  /// All numbers in row-major order; asserts that the tensor is contiguous and in memory.
  std::span<const float> values() const;
  /// `count` numbers in row-major order from one on; asserts that the tensor is contiguous.
  void read(Index first, Index count, float* to) const;

  /// The same numbers under another shape; copies only if not contiguous.
  Tensor view(Shape shape) const;
  Tensor transpose(Index axis_a, Index axis_b) const;
  /// Broadcast to `shape`, aligned at the last axis as in NumPy, without copying; asserts that it fits.
  Tensor expand(const Shape& shape) const;
  /// `length` entries of one axis from `first` on.
  Tensor slice(Index axis, Index first, Index length) const;
  /// Itself where contiguous and in memory, else a packed copy.
  Tensor contiguous() const;

  /// Whether both are the very same numbers in memory, seen the same way. Cheap; used to tell what must be recomputed.
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
/// The parts one after the other along the first axis, as torch.cat; their other sizes are the same.
Tensor joined(std::span<const Tensor> parts);
/// Whether `from` can be broadcast to `to` by NumPy's rule (aligned at the last axis; sizes equal or 1).
bool broadcastable(const Shape& from, const Shape& to);

}  // namespace headlight
