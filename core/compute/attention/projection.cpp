#include "core/compute/attention/projection.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/parallel/jobs.h"
#include "core/compute/attention/kernels/kernels.h"
#include "core/compute/attention/product.h"
#include "core/compute/attention/sweep.h"
#include "core/compute/attention/workers.h"

namespace headlight {
namespace {

// A multiple of every kernel's tile and panel. The data that a block reads fit the second-level cache, and blocks are
// small, so that no thread waits long for the last block of another one.
constexpr Index rows_a_block = 48, cols_a_block = 256;
// With fewer rows than this, packing the weights takes as long as multiplying by them.
constexpr Index most_unpacked_rows = 24;
constexpr Index cols_a_dot_block = 64;
// For weights stored as [in, out]: with fewer rows than this, each weight is read once, in long ranges.
constexpr Index least_packed_rows = 6, cols_a_range = 512;
// Rows times their width, in numbers. With at most this many, they stay in the second-level cache while the weights are
// packed and multiplied one panel at a time, so that the packed weights are never all in memory.
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

/// For weights that are computed when they are read: projects some rows of them at a time.
Tensor project_in_parts(const Tensor& x, const Tensor& weight, const Tensor& bias, const Workers& workers) {
  constexpr Index rows_at_once = 64;
  const Index out = weight.size(0), rows = x.count() / x.size(-1);
  Buffer values(static_cast<std::size_t>(rows * out));
  const double cost = 2.0 * static_cast<double>(rows + 1) * static_cast<double>(weight.count());
  Workers one_thread;
  one_thread.stop = workers.stop;
  workers.run(ceil_div(out, rows_at_once), cost, [&](Index block) {
    const Index first = block * rows_at_once, count = std::min(rows_at_once, out - first);
    const Tensor part = project(x, weight.slice(0, first, count).contiguous(),
                                bias.defined() ? bias.slice(0, first, count) : Tensor(), one_thread);
    for (Index row = 0; row < rows; ++row) {
      std::ranges::copy(part.values().subspan(static_cast<std::size_t>(row * count), static_cast<std::size_t>(count)),
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
  if (rows < most_unpacked_rows && right.col_stride == 1) {
    workers.run(ceil_div(out, cols_a_dot_block), std::max(cost, 8.0 * static_cast<double>(in * out)), [&](Index block) {
      const Index col = block * cols_a_dot_block;
      write(0, rows, col, std::min(cols_a_dot_block, out - col),
            [&](const MatrixView& rows_of_x, const MatrixTarget& to) {
              kernels().dots(rows_of_x.data, rows_of_x.row_stride, right.data + col * right.row_stride,
                             right.row_stride, rows, to.cols, in, to.data, out);
            });
    });
  } else if (rows < least_packed_rows && right.row_stride == 1) {
    workers.run(ceil_div(out, cols_a_range), std::max(cost, 8.0 * static_cast<double>(in * out)), [&](Index block) {
      const Index col = block * cols_a_range;
      write(0, rows, col, std::min(cols_a_range, out - col), [&](const MatrixView& rows_of_x, const MatrixTarget& to) {
        for (Index row = 0; row < rows; ++row) std::fill_n(to.data + row * out, to.cols, 0.0F);
        kernels().sum_rows(rows_of_x.data, rows_of_x.row_stride, right.data + col, right.col_stride, rows, to.cols, in,
                           to.data, out);
      });
    });
  } else if (rows * in <= in_cache) {
    const Index panel = kernels().panel;
    workers.run(ceil_div(out, panel), std::max(cost, 8.0 * static_cast<double>(in * out)), [&](Index block) {
      static thread_local PackedMatrix packed;
      const Index col = block * panel, width = std::min(panel, out - col);
      packed.resize(in, width);
      packed.pack_panel(transposed(row_block(right, col, width)), 0);
      write(0, rows, col, width,
            [&](const MatrixView& rows_of_x, const MatrixTarget& to) { packed.multiply(rows_of_x, 0, to); });
    });
  } else {
    PackedMatrix packed(in, out);
    Workers without_progress = workers;
    without_progress.progress = {};
    without_progress.run(packed.panels(), 4.0 * static_cast<double>(in * out),
                         [&](Index panel) { packed.pack_panel(transposed(right), panel); });
    const Index col_blocks = ceil_div(out, cols_a_block);
    workers.run(ceil_div(rows, rows_a_block) * col_blocks, cost, [&](Index block) {
      const Index row = block / col_blocks * rows_a_block, col = block % col_blocks * cols_a_block;
      write(row, std::min(rows_a_block, rows - row), col, std::min(cols_a_block, out - col),
            [&](const MatrixView& rows_of_x, const MatrixTarget& to) {
              packed.multiply(rows_of_x, col / kernels().panel, to);
            });
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

Tensor mean_over_heads(const Tensor& heads) {
  const Index batch = heads.size(0), count = heads.size(1), rows = heads.size(2), cols = heads.size(3);
  Buffer mean;
  mean.reserve(static_cast<std::size_t>(batch * rows * cols));
  std::vector<double> sums(static_cast<std::size_t>(cols));
  for (Index b = 0; b < batch; ++b) {
    for (Index row = 0; row < rows; ++row) {
      std::ranges::fill(sums, 0);
      for (Index h = 0; h < count; ++h) {
        const MatrixView head = heads.matrix(b, h);
        for (Index col = 0; col < cols; ++col)
          sums[static_cast<std::size_t>(col)] += static_cast<double>(head(row, col));
      }
      for (const double sum : sums) mean.push_back(static_cast<float>(sum / static_cast<double>(count)));
      breathe();
    }
  }
  return {{batch, rows, cols}, std::move(mean)};
}

Tensor silenced(const Tensor& head_outputs, std::span<const Index> heads) {
  if (heads.empty()) return head_outputs;
  const Tensor rows = head_outputs.transpose(1, 2).contiguous();  // [B, n_q, H, d]
  Buffer values(rows.values().begin(), rows.values().end());
  const Index count = rows.size(2), d = rows.size(3), positions = rows.size(0) * rows.size(1);
  for (Index position = 0; position < positions; ++position) {
    for (const Index head : heads) std::fill_n(values.begin() + (position * count + head) * d, d, 0.0F);
  }
  return Tensor(rows.shape(), std::move(values)).transpose(1, 2);
}

namespace {

constexpr Index rows_at_once = 48;
constexpr Index rows_a_tile = 16;

}  // namespace

ProjectedHeads::ProjectedHeads(Tensor x, Tensor weight, Tensor bias, Index heads, int threads)
    : MatrixSource(x.size(1), weight.size(0), std::max<Index>(1024, rows_a_tile * weight.size(0))),
      x_(x.contiguous()),
      weight_(std::move(weight)),
      bias_(std::move(bias)),
      heads_(heads),
      d_head_(weight_.size(0) / heads),
      threads_(threads),
      packed_(static_cast<std::size_t>(heads)) {}

const PackedMatrix& ProjectedHeads::packed(Index h) const {
  const std::lock_guard lock(mutex_);
  PackedMatrix& made = packed_[static_cast<std::size_t>(h)];
  if (made.cols() == 0) {
    const Tensor rows = weight_.slice(0, h * d_head_, d_head_);
    made.resize(x_.size(2), d_head_);
    for (Index panel = 0; panel < made.panels(); ++panel) made.pack_panel(transposed(rows.matrix()), panel);
  }
  return made;
}

void ProjectedHeads::project_rows(Index b, Index h, Index first, const MatrixTarget& to) const {
  packed(h).multiply(row_block(x_.matrix(b), first, to.rows), 0, to);
  if (!bias_.defined()) return;
  const MatrixView bias = bias_.matrix();
  for (Index i = 0; i < to.rows; ++i) {
    for (Index j = 0; j < to.cols; ++j) to.data[i * to.row_stride + j] += bias(0, h * d_head_ + j);
  }
}

void ProjectedHeads::compute(Index b, Index row, Index rows, Index, Index, float* to) const {
  for (Index h = 0; h < heads_; ++h) project_rows(b, h, row, {to + h * d_head_, rows, d_head_, cols()});
}

Tensor ProjectedHeads::head(Index b, Index h, const std::stop_token& stop) const {
  const Index n = x_.size(1), blocks = (n + rows_at_once - 1) / rows_at_once;
  Buffer values(static_cast<std::size_t>(n * d_head_));
  Workers workers;
  workers.threads = threads_;
  workers.stop = stop;
  workers.run(blocks, 2.0 * static_cast<double>(n * d_head_) * static_cast<double>(x_.size(2)), [&](Index block) {
    const Index first = block * rows_at_once, height = std::min(rows_at_once, n - first);
    project_rows(b, h, first, {values.data() + first * d_head_, height, d_head_, d_head_});
  });
  return Tensor({n, d_head_}, std::move(values));
}

bool ProjectedHeads::is_finite(double largest) const {
  const MatrixView weight = weight_.matrix();
  double bound = 0;
  Buffer scratch;
  for (Index row = 0; row < weight.rows; ++row) {
    const float* const numbers = weight.whole_row(row, scratch);
    double sum = 0;
    for (Index col = 0; col < weight.cols; ++col) sum += std::fabs(static_cast<double>(numbers[col]));
    const double bias = bias_.defined() ? std::fabs(static_cast<double>(bias_.at({row}))) : 0;
    if (!std::isfinite(sum + bias)) return false;
    bound = std::max(bound, sum * largest + bias);
  }
  return std::isfinite(largest) && bound < 0.5 * static_cast<double>(std::numeric_limits<float>::max());
}

double largest_magnitude(const Tensor& x, int threads) {
  constexpr std::size_t numbers_a_block = 1 << 16;
  const Tensor packed = x.contiguous();
  const std::span<const float> all = packed.values();
  const std::size_t blocks = (all.size() + numbers_a_block - 1) / numbers_a_block;
  std::vector<float> largest(blocks);
  Workers workers;
  workers.threads = threads;
  workers.run(static_cast<Index>(blocks), static_cast<double>(all.size()), [&](Index block) {
    const auto at = static_cast<std::size_t>(block);
    const std::span<const float> part =
        all.subspan(at * numbers_a_block, std::min(numbers_a_block, all.size() - at * numbers_a_block));
    const auto n = static_cast<Index>(part.size());
    largest[at] =
        kernels().finite(part.data(), n) ? kernels().reach(part.data(), n) : std::numeric_limits<float>::infinity();
  });
  return blocks == 0 ? 0 : static_cast<double>(*std::ranges::max_element(largest));
}

Tensor project_on_demand(std::shared_ptr<const ProjectedHeads> source, Shape shape, double largest) {
  if (!source->is_finite(largest)) return {};  // infinities and NaN are checked one by one, in stored numbers
  return Tensor::computed_by(std::move(shape), std::move(source));
}

const ProjectedHeads* projected_heads(const Tensor& tensor) {
  return dynamic_cast<const ProjectedHeads*>(tensor.source());
}

Tensor head_of(const Tensor& heads, Index b, Index h, const std::stop_token& stop) {
  if (const ProjectedHeads* source = projected_heads(heads)) return source->head(b, h, stop);
  return heads.slice(0, b, 1).slice(1, h, 1);
}

}  // namespace headlight
