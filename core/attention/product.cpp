#include "core/attention/product.h"

#include <Eigen/Core>
#include <cassert>

namespace headlight {
namespace {

using Stride = Eigen::OuterStride<>;
template <int order>
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, order>;
template <int order>
using ConstMap = Eigen::Map<const Matrix<order>, Eigen::Unaligned, Stride>;
using TargetMap = Eigen::Map<Matrix<Eigen::RowMajor>, Eigen::Unaligned, Stride>;

bool has_whole_rows(const MatrixView& m) {
  return m.col_stride == 1 || m.cols == 1;
}
bool has_whole_columns(const MatrixView& m) {
  return m.row_stride == 1 || m.rows == 1;
}

// Calls use(map) with `m` as the kind of map that Eigen multiplies without copying.
template <typename Use>
void with_map(const MatrixView& m, Use use) {
  if (has_whole_rows(m)) {
    use(ConstMap<Eigen::RowMajor>(m.data, m.rows, m.cols, Stride(m.row_stride)));
  } else if (has_whole_columns(m)) {
    use(ConstMap<Eigen::ColMajor>(m.data, m.rows, m.cols, Stride(m.col_stride)));
  } else {
    Matrix<Eigen::RowMajor> packed(m.rows, m.cols);
    for (Index row = 0; row < m.rows; ++row) {
      for (Index col = 0; col < m.cols; ++col) packed(row, col) = m(row, col);
    }
    use(ConstMap<Eigen::RowMajor>(packed.data(), m.rows, m.cols, Stride(m.cols)));
  }
}

}  // namespace

MatrixView transposed(const MatrixView& m) {
  return {m.data, m.cols, m.rows, m.col_stride, m.row_stride};
}

MatrixView row_block(const MatrixView& m, Index first, Index count) {
  return {m.data + first * m.row_stride, count, m.cols, m.row_stride, m.col_stride};
}

void product(const MatrixView& a, const MatrixView& b, const MatrixTarget& to) {
  assert(a.cols == b.rows && a.rows == to.rows && b.cols == to.cols);
  TargetMap target(to.data, to.rows, to.cols, Stride(to.row_stride));
  with_map(a, [&](const auto& left) { with_map(b, [&](const auto& right) { target.noalias() = left * right; }); });
}

}  // namespace headlight
