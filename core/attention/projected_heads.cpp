#include "core/attention/projected_heads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/kernels/kernels.h"
#include "core/attention/workers.h"

namespace headlight {
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
  Buffer room;
  for (Index row = 0; row < weight.rows; ++row) {
    const float* const numbers = weight.whole_row(row, room);
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
  if (!source->is_finite(largest)) return {};  // infinities and their like are looked at one by one
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
