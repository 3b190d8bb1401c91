#include "core/attention/projection.h"

#include <algorithm>
#include <cassert>

#include "core/attention/product.h"
#include "core/attention/sweep.h"

namespace headlight {
namespace {

// A multiple of every kernel's tile and panel: what a block reads stays in the second cache, and a block is small
// enough that no thread waits long for another's last.
constexpr Index rows_a_block = 48, cols_a_block = 256;
// With fewer rows than this, laying the weights out anew takes as long as multiplying by them.
constexpr Index few_rows = 24;
constexpr Index cols_a_few = 64;
// Of weights that lie the other way round, [in, out]: with so few rows each of them is read once, a long stretch at a
// time.
constexpr Index fewest_rows = 6, cols_a_stretch = 512;
// Rows times their width, in numbers: so much stays in the second cache while one panel of weights after the other is
// laid out and multiplied, so that the weights are never all laid out at once.
constexpr Index in_cache = Index{1} << 18;

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

void add_to_rows(const MatrixTarget& m, const Tensor& bias, Index first_col) {
  const MatrixView add = bias.matrix();
  for (Index row = 0; row < m.rows; ++row) {
    float* const to = m.data + row * m.row_stride;
    if (add.col_stride == 1) {
      kernels().add(to, add.data + first_col, m.cols);
    } else {
      for (Index col = 0; col < m.cols; ++col) to[col] += add(0, first_col + col);
    }
  }
}

Tensor add_bias(const Tensor& x, const Tensor& bias) {
  const Tensor packed = x.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  const Index cols = x.size(-1);
  add_to_rows({values.data(), x.count() / cols, cols, cols}, bias, 0);
  return Tensor(x.shape(), std::move(values));
}

/// Weights that are computed as they are read: some rows of them at a time.
Tensor project_in_parts(const Tensor& x, const Tensor& weight, const Tensor& bias, const Workers& workers) {
  constexpr Index rows_at_once = 64;
  const Index out = weight.size(0), rows = x.count() / x.size(-1);
  Buffer values(static_cast<std::size_t>(rows * out));
  const double cost = 2.0 * static_cast<double>(rows + 1) * static_cast<double>(weight.count());
  Workers alone;
  alone.stop = workers.stop;
  workers.run(ceil_div(out, rows_at_once), cost, [&](Index block) {
    const Index first = block * rows_at_once, count = std::min(rows_at_once, out - first);
    const Tensor some = project(x, weight.slice(0, first, count).contiguous(),
                                bias.defined() ? bias.slice(0, first, count) : Tensor(), alone);
    for (Index row = 0; row < rows; ++row) {
      std::ranges::copy(some.values().subspan(static_cast<std::size_t>(row * count), static_cast<std::size_t>(count)),
                        values.data() + row * out + first);
    }
  });
  Shape shape = x.shape();
  shape.back() = out;
  return Tensor(std::move(shape), std::move(values));
}

}  // namespace

Tensor project(const Tensor& x, const Tensor& weight, const Tensor& bias, const Workers& workers) {
  if (!weight.defined()) return bias.defined() ? add_bias(x, bias) : x;
  if (weight.source()) return project_in_parts(x, weight, bias, workers);
  const Index in = x.size(-1), out = weight.size(0), rows = x.count() / in;
  assert(weight.size(1) == in && (!bias.defined() || bias.count() == out));

  const Tensor flat = x.contiguous().view({rows, in});
  const MatrixView left = flat.matrix(), right = weight.matrix();
  Buffer values(static_cast<std::size_t>(rows * out));
  const double cost = 2.0 * static_cast<double>(rows) * static_cast<double>(out) * static_cast<double>(in);
  const auto write = [&](Index row, Index height, Index col, Index width, const auto& multiply) {
    const MatrixTarget target{values.data() + row * out + col, height, width, out};
    multiply(row_block(left, row, height), target);
    if (bias.defined()) add_to_rows(target, bias, col);
  };
  if (rows < few_rows && right.col_stride == 1) {
    workers.run(ceil_div(out, cols_a_few), std::max(cost, 8.0 * static_cast<double>(in * out)), [&](Index block) {
      const Index col = block * cols_a_few;
      write(0, rows, col, std::min(cols_a_few, out - col), [&](const MatrixView& some, const MatrixTarget& to) {
        kernels().dots(some.data, some.row_stride, right.data + col * right.row_stride, right.row_stride, rows, to.cols,
                       in, to.data, out);
      });
    });
  } else if (rows < fewest_rows && right.row_stride == 1) {
    workers.run(ceil_div(out, cols_a_stretch), std::max(cost, 8.0 * static_cast<double>(in * out)), [&](Index block) {
      const Index col = block * cols_a_stretch;
      write(0, rows, col, std::min(cols_a_stretch, out - col), [&](const MatrixView& some, const MatrixTarget& to) {
        for (Index row = 0; row < rows; ++row) std::fill_n(to.data + row * out, to.cols, 0.0F);
        kernels().sum_rows(some.data, some.row_stride, right.data + col, right.col_stride, rows, to.cols, in, to.data,
                           out);
      });
    });
  } else if (rows * in <= in_cache) {
    const Index panel = kernels().panel;
    workers.run(ceil_div(out, panel), std::max(cost, 8.0 * static_cast<double>(in * out)), [&](Index block) {
      static thread_local PackedMatrix packed;
      const Index col = block * panel, width = std::min(panel, out - col);
      packed.resize(in, width);
      packed.pack_panel(transposed(row_block(right, col, width)), 0);
      write(0, rows, col, width, [&](const MatrixView& some, const MatrixTarget& to) { packed.multiply(some, 0, to); });
    });
  } else {
    PackedMatrix packed(in, out);
    Workers quiet = workers;
    quiet.progress = {};
    quiet.run(packed.panels(), 4.0 * static_cast<double>(in * out),
              [&](Index panel) { packed.pack_panel(transposed(right), panel); });
    const Index col_blocks = ceil_div(out, cols_a_block);
    workers.run(ceil_div(rows, rows_a_block) * col_blocks, cost, [&](Index block) {
      const Index row = block / col_blocks * rows_a_block, col = block % col_blocks * cols_a_block;
      write(row, std::min(rows_a_block, rows - row), col, std::min(cols_a_block, out - col),
            [&](const MatrixView& some, const MatrixTarget& to) { packed.multiply(some, col / kernels().panel, to); });
    });
  }
  Shape shape = x.shape();
  shape.back() = out;
  return Tensor(std::move(shape), std::move(values));
}

Tensor split_heads(const Tensor& channels, Index heads) {
  assert(channels.rank() == 3 && channels.size(2) % heads == 0);
  return channels.view({channels.size(0), channels.size(1), heads, channels.size(2) / heads}).transpose(1, 2);
}

Tensor merge_heads(const Tensor& heads) {
  assert(heads.rank() == 4);
  return heads.transpose(1, 2).view({heads.size(0), heads.size(2), heads.size(1) * heads.size(3)});
}

Tensor gather_values(const Tensor& weights, const Tensor& values, const Workers& workers) {
  ScoreSteps steps;
  steps.values = values;
  return sweep(steps, Stage::head_outputs, Stage::head_outputs, weights, workers)[Stage::head_outputs];
}

Tensor silenced(const Tensor& head_outputs, std::span<const Index> heads) {
  if (heads.empty()) return head_outputs;
  const Tensor rows = head_outputs.transpose(1, 2).contiguous();  // [B, n_q, H, d]
  Buffer values(rows.values().begin(), rows.values().end());
  const Index count = rows.size(2), d = rows.size(3), places = rows.size(0) * rows.size(1);
  for (Index place = 0; place < places; ++place) {
    for (const Index head : heads) std::fill_n(values.begin() + (place * count + head) * d, d, 0.0F);
  }
  return Tensor(rows.shape(), std::move(values)).transpose(1, 2);
}

}  // namespace headlight
