#include "core/attention/head_outputs.h"

#include <algorithm>
#include <cassert>

#include "core/attention/product.h"

namespace headlight {

Tensor gather_values(const Tensor& weights, const Tensor& values, const Workers& workers) {
  constexpr Index rows_a_block = 128;
  const Index batch = weights.size(0), heads = weights.size(1), n_q = weights.size(2), d = values.size(3);
  assert(heads % values.size(1) == 0 && weights.size(3) == values.size(2) && values.size(0) == batch);
  const Index group = heads / values.size(1);
  const Index row_blocks = (n_q + rows_a_block - 1) / rows_a_block;

  Buffer gathered(static_cast<std::size_t>(batch * n_q * heads * d));
  const double cost = 2.0 * static_cast<double>(gathered.size()) * static_cast<double>(weights.size(3));
  workers.run(batch * heads * row_blocks, cost, [&](Index block) {
    const Index b = block / (heads * row_blocks), h = block / row_blocks % heads;
    const Index row = block % row_blocks * rows_a_block, height = std::min(rows_a_block, n_q - row);
    const MatrixTarget target{gathered.data() + ((b * n_q + row) * heads + h) * d, height, d, heads * d};
    product(row_block(weights.matrix(b, h), row, height), values.matrix(b, h / group), target);
  });
  return Tensor({batch, n_q, heads, d}, std::move(gathered)).transpose(1, 2);
}

}  // namespace headlight
