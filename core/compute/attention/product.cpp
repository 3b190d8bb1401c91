#include "core/compute/attention/product.h"

#include <algorithm>
#include <cassert>

namespace headlight {
namespace {

bool has_whole_rows(const MatrixView& m) { return m.col_stride == 1 || m.cols == 1; }

}  // namespace

MatrixView transposed(const MatrixView& m) {
  return {m.data, m.cols, m.rows, m.col_stride, m.row_stride, m.source, m.first};
}

MatrixView row_block(const MatrixView& m, Index first, Index count) { return m.part(first, count, 0, m.cols); }

void PackedMatrix::resize(Index depth, Index cols) {
  depth_ = depth;
  cols_ = cols;
  const auto size = static_cast<std::size_t>(panels() * panel_size());
  if (values_.size() < size) values_ = Buffer(size);
}

void PackedMatrix::pack_panel(const MatrixView& b, Index panel) { pack_part(b, panel, 0, depth_); }

void PackedMatrix::pack_part(const MatrixView& b, Index panel, Index first, Index count) {
  assert(b.rows == depth_ && b.cols == cols_ && first + count <= depth_);
  const Kernels& use = kernels();
  const Index col = panel * use.panel;
  if (b.source) {
    const Index width = std::min(use.panel, cols_ - col);
    Buffer columns(static_cast<std::size_t>(width * count));  // read by columns, as weights are stored
    for (Index i = 0; i < width; ++i) {
      for (Index k = 0; k < count; ++k) columns[static_cast<std::size_t>(i * count + k)] = b(first + k, col + i);
    }
    return use.pack(columns.data(), 1, count, count, width, values_.data() + panel * panel_size() + first * use.panel);
  }
  use.pack(b.data + first * b.row_stride + col * b.col_stride, b.row_stride, b.col_stride, count,
           std::min(use.panel, cols_ - col), values_.data() + panel * panel_size() + first * use.panel);
}

bool PackedMatrix::panel_is_finite(Index panel) const {
  return kernels().finite(values_.data() + panel * panel_size(), panel_size());
}

void PackedMatrix::multiply(const MatrixView& a, Index panel, const MatrixTarget& to) const {
  multiply(a, panel, 0, depth_, to);
}

void PackedMatrix::multiply(const MatrixView& a, Index panel, Index first, Index end, const MatrixTarget& to) const {
  assert(a.cols == depth_ && has_whole_rows(a) && a.rows == to.rows);
  const Kernels& use = kernels();
  for (Index col = 0; col < to.cols; col += use.panel, ++panel) {
    const Index width = std::min(use.panel, to.cols - col);
    const float* const right = values_.data() + panel * panel_size();
    bool any = false;
    // The sums use the blocks of a sum over all terms, so that they round the same: terms that are left out are 0.
    for (Index k = first, next; k < end; k = next) {
      next = std::min(end, (k / depth_a_block + 1) * depth_a_block);
      use.multiply(a.data + k, a.row_stride, right + k * use.panel, a.rows, width, next - k, to.data + col,
                   to.row_stride, any);
      any = true;
    }
    if (any) continue;
    for (Index row = 0; row < to.rows; ++row) std::fill_n(to.data + row * to.row_stride + col, width, 0.0F);
  }
}

void PackedMatrix::add_part(const MatrixView& a, Index first, const MatrixTarget& to) const {
  assert(first % depth_a_block == 0 && first + a.cols <= depth_ && has_whole_rows(a));
  const Kernels& use = kernels();
  for (Index col = 0, panel = 0; col < to.cols; col += use.panel, ++panel) {
    const float* const right = values_.data() + panel * panel_size();
    for (Index k = 0; k < a.cols; k += depth_a_block) {
      use.multiply(a.data + k, a.row_stride, right + (first + k) * use.panel, a.rows,
                   std::min(use.panel, to.cols - col), std::min(depth_a_block, a.cols - k), to.data + col,
                   to.row_stride, true);
    }
  }
}

void product(const MatrixView& a, const MatrixView& b, const MatrixTarget& to) {
  assert(a.cols == b.rows && a.rows == to.rows && b.cols == to.cols);
  PackedMatrix right(b.rows, b.cols);
  for (Index panel = 0; panel < right.panels(); ++panel) right.pack_panel(b, panel);
  if (has_whole_rows(a)) return right.multiply(a, 0, to);
  Buffer rows(static_cast<std::size_t>(a.rows * a.cols));
  for (Index row = 0; row < a.rows; ++row) {
    for (Index col = 0; col < a.cols; ++col) rows[static_cast<std::size_t>(row * a.cols + col)] = a(row, col);
  }
  right.multiply({rows.data(), a.rows, a.cols, a.cols, 1}, 0, to);
}

}  // namespace headlight
