#include "core/compute/run/contributions.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <thread>

#include "core/base/tensor/error.h"
#include "core/compute/attention/product.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
namespace {

float length(std::span<const float> vector) {
  double squares = 0;
  for (const float v : vector) squares += static_cast<double>(v) * static_cast<double>(v);
  return static_cast<float>(std::sqrt(squares));
}

/// The norms of all rows of values [n, d] · projection [d, out].
void row_norms(const MatrixView& values, const MatrixView& projection, float* to) {
  constexpr Index rows_a_block = 256;
  const auto width = static_cast<std::size_t>(projection.cols);
  Buffer moved(static_cast<std::size_t>(std::min(rows_a_block, values.rows)) * width);
  for (Index first = 0; first < values.rows; first += rows_a_block) {
    const Index rows = std::min(rows_a_block, values.rows - first);
    product(row_block(values, first, rows), projection, {moved.data(), rows, projection.cols, projection.cols});
    for (Index row = 0; row < rows; ++row)
      to[first + row] = length(std::span(moved).subspan(static_cast<std::size_t>(row) * width, width));
  }
}

Workers workers_of(int threads) {
  Workers workers;
  workers.threads = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return workers;
}

}  // namespace

Tensor value_norms(const Trace& trace, int threads) {
  const Tensor &values = trace[Stage::V_heads], &W_o = trace.inputs.W_o;
  const Index batch = values.size(0), heads = trace.dims().heads, n_k = values.size(2), d = values.size(3);
  Buffer norms(static_cast<std::size_t>(batch * heads * n_k));
  const double cost = W_o.defined() ? 2.0 * static_cast<double>(batch * heads * n_k * d * W_o.size(0)) : 0;
  workers_of(threads).run(batch * heads, cost, [&](Index block) {
    const Index b = block / heads, h = block % heads;
    const MatrixView v = values.matrix(b, h / trace.dims().groups());
    float* to = norms.data() + block * n_k;
    if (W_o.defined()) return row_norms(v, transposed(W_o.slice(1, h * d, d).matrix()), to);
    Buffer scratch;
    for (Index k = 0; k < n_k; ++k) to[k] = length({v.whole_row(k, scratch), static_cast<std::size_t>(d)});
  });
  return Tensor({batch, heads, n_k}, std::move(norms));
}

Tensor contribution_norms(const Trace& trace, int threads) {
  const std::optional<Stage> mixed = trace.standing_for(Stage::dropped_weights);
  if (!mixed || !trace.has(Stage::V_heads))
    throw InputError("", "contribution_norms need weights and values, and the file holds no values",
                     "expected Q, K and V, or weights and inputs");
  const Tensor& weights = trace[*mixed];
  if (weights.source() || trace[Stage::V_heads].source())
    throw InputError("", "contribution_norms of so many tokens do not fit in memory", "expected fewer tokens");
  const Tensor norms = value_norms(trace, threads);
  const std::vector<Index>& silent = trace.inputs.rules.silent_heads;
  return by_rows(weights.shape(), 1, workers_of(threads), [&](Index b, Index h, Index q, std::span<float> row) {
    const bool not_silent = std::ranges::find(silent, h) == silent.end();
    const std::span<const float> a = row_of(weights, b, h, q), size = row_of(norms, b, 0, h);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = not_silent ? std::abs(a[k]) * size[k] : 0;
  });
}

bool can_contribute(const Trace& trace) {
  const std::optional<Stage> mixed = trace.standing_for(Stage::dropped_weights);
  return mixed && trace.has(Stage::V_heads) && !trace[*mixed].source() && !trace[Stage::V_heads].source();
}

std::shared_ptr<const Trace> with_contributions(std::shared_ptr<const Trace> trace, int threads) {
  if (trace->has(Stage::contribution_norms)) return trace;
  auto measured = std::make_shared<Trace>(*trace);
  measured->contributions = contribution_norms(*trace, threads);
  return measured;
}

Tensor row_shares(const Tensor& cells) {
  return by_rows(cells.shape(), 2, {}, [&](Index b, Index h, Index q, std::span<float> row) {
    const std::span<const float> from = row_of(cells, b, h, q);
    double sum = 0;
    for (const float v : from) sum += static_cast<double>(v);
    for (std::size_t k = 0; k < row.size(); ++k)
      row[k] = sum == 0 ? 0 : static_cast<float>(static_cast<double>(from[k]) / sum);
  });
}

}  // namespace headlight
