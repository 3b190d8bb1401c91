#include "core/attention/projection.h"

#include <algorithm>
#include <cassert>

#include "core/attention/product.h"

namespace headlight {
namespace {

constexpr Index rows_a_block = 128, cols_a_block = 256;

Index ceil_div(Index a, Index b) {
  return (a + b - 1) / b;
}

void add_to_rows(const MatrixTarget& m, const Tensor& bias, Index first_col) {
  const MatrixView add = bias.matrix();
  for (Index row = 0; row < m.rows; ++row) {
    for (Index col = 0; col < m.cols; ++col) m.data[row * m.row_stride + col] += add(0, first_col + col);
  }
}

Tensor add_bias(const Tensor& x, const Tensor& bias) {
  Buffer values(x.contiguous().values().begin(), x.contiguous().values().end());
  const Index cols = x.size(-1);
  add_to_rows({values.data(), x.count() / cols, cols, cols}, bias, 0);
  return Tensor(x.shape(), std::move(values));
}

}  // namespace

Tensor project(const Tensor& x, const Tensor& weight, const Tensor& bias, const Workers& workers) {
  if (!weight.defined()) return bias.defined() ? add_bias(x, bias) : x;
  const Index in = x.size(-1), out = weight.size(0), rows = x.count() / in;
  assert(weight.size(1) == in && (!bias.defined() || bias.count() == out));

  const Tensor flat = x.view({rows, in});
  Buffer values(static_cast<std::size_t>(rows * out));
  const Index col_blocks = ceil_div(out, cols_a_block);
  const double cost = 2.0 * static_cast<double>(rows) * static_cast<double>(out) * static_cast<double>(in);
  workers.run(ceil_div(rows, rows_a_block) * col_blocks, cost, [&](Index block) {
    const Index row = block / col_blocks * rows_a_block, col = block % col_blocks * cols_a_block;
    const Index height = std::min(rows_a_block, rows - row), width = std::min(cols_a_block, out - col);
    const MatrixTarget target{values.data() + row * out + col, height, width, out};
    product(row_block(flat.matrix(), row, height), transposed(row_block(weight.matrix(), col, width)), target);
    if (bias.defined()) add_to_rows(target, bias, col);
  });
  Shape shape = x.shape();
  shape.back() = out;
  return Tensor(std::move(shape), std::move(values));
}

}  // namespace headlight
