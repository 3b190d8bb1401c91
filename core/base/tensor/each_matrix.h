// Visits the matrices of a tensor, one for each batch entry and head; makes tensors from what a function says of each
// number.
#pragma once

#include <algorithm>
#include <utility>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// Calls use(matrix, b, h) with the last two axes of a tensor of two to four axes, at every (b, h).
template <typename Use>
void each_matrix(const Tensor& tensor, Use use) {
  const Index batch = tensor.rank() > 2 ? tensor.size(0) : 1, heads = tensor.rank() > 3 ? tensor.size(1) : 1;
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h) use(tensor.matrix(b, h), b, h);
  }
}

/// Whether `holds` is true for any of the matrices. Stops at the first.
template <typename Holds>
bool any_matrix(const Tensor& tensor, Holds holds) {
  bool found = false;
  each_matrix(tensor, [&](const MatrixView& matrix, Index, Index) { found = found || holds(matrix); });
  return found;
}

/// [rows, cols] of cell(row, col), row by row.
template <typename Cell>
Tensor from_cells(Index rows, Index cols, Cell cell) {
  Buffer values;
  values.reserve(static_cast<std::size_t>(rows * cols));
  for (Index row = 0; row < rows; ++row) {
    for (Index col = 0; col < cols; ++col) values.push_back(cell(row, col));
  }
  return Tensor({rows, cols}, std::move(values));
}

/// [1, heads, rows, cols] of cell(head, row, col).
template <typename Cell>
Tensor from_cells(Index heads, Index rows, Index cols, Cell cell) {
  return from_cells(heads * rows, cols, [&](Index row, Index col) { return cell(row / rows, row % rows, col); })
      .view({1, heads, rows, cols});
}

/// The tensor with change(number) in place of each number.
template <typename Change>
Tensor each_number(const Tensor& tensor, Change change) {
  const Tensor packed = tensor.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  for (float& value : values) value = change(value);
  return Tensor(tensor.shape(), std::move(values));
}

/// Combines two tensors of four axes element by element. Each axis has the same size in both, or size 1 in one of them.
template <typename Combine>
Tensor combined(const Tensor& a, const Tensor& b, Combine combine) {
  Shape shape(4);
  for (std::size_t i = 0; i < 4; ++i) shape[i] = std::max(a.shape()[i], b.shape()[i]);
  const Tensor left = a.expand(shape).contiguous(), right = b.expand(shape).contiguous();
  Buffer values(left.values().begin(), left.values().end());
  const std::span<const float> others = right.values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = combine(values[i], others[i]);
  return Tensor(std::move(shape), std::move(values));
}

}  // namespace headlight
