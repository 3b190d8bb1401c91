#include "core/attention/scores.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/attention/product.h"

namespace headlight {
namespace {

constexpr Index rows_a_block = 128;

template <typename Function>
Tensor each_cell(const Tensor& scores, double cost, const Workers& workers, Function function) {
  return by_rows(scores.shape(), cost, workers, [&](Index b, Index h, Index q, std::span<float> to) {
    const std::span<const float> from = row_of(scores, b, h, q);
    std::transform(from.begin(), from.end(), to.begin(), function);
  });
}

}  // namespace

Tensor raw_scores(const Tensor& queries, const Tensor& keys, const Workers& workers) {
  const Index batch = queries.size(0), heads = queries.size(1), n_q = queries.size(2), n_k = keys.size(2);
  assert(heads % keys.size(1) == 0 && keys.size(0) == batch && queries.size(3) == keys.size(3));
  const Index group = heads / keys.size(1);
  const Index row_blocks = (n_q + rows_a_block - 1) / rows_a_block;

  Buffer values(static_cast<std::size_t>(batch * heads * n_q * n_k));
  const double cost = 2.0 * static_cast<double>(values.size()) * static_cast<double>(queries.size(3));
  workers.run(batch * heads * row_blocks, cost, [&](Index block) {
    const Index b = block / (heads * row_blocks), h = block / row_blocks % heads;
    const Index row = block % row_blocks * rows_a_block, height = std::min(rows_a_block, n_q - row);
    const MatrixTarget target{values.data() + ((b * heads + h) * n_q + row) * n_k, height, n_k, n_k};
    product(row_block(queries.matrix(b, h), row, height), transposed(keys.matrix(b, h / group)), target);
  });
  return Tensor({batch, heads, n_q, n_k}, std::move(values));
}

Tensor scale_scores(const Tensor& scores, float scale, const Workers& workers) {
  return each_cell(scores, 2, workers, [scale](float s) { return s * scale; });
}

Tensor cap_scores(const Tensor& scores, float cap, const Workers& workers) {
  assert(cap > 0);
  return each_cell(scores, 30, workers, [cap](float s) { return cap * std::tanh(s / cap); });
}

}  // namespace headlight
