// Linear projections of Q, K, V and the output; splitting channels into heads, weighted sums of their values, and
// merging heads.
#pragma once

#include <mutex>
#include <stop_token>
#include <vector>

#include "core/base/tensor/matrix_source.h"
#include "core/compute/attention/product.h"
#include "core/compute/attention/workers.h"

namespace headlight {

/// x [B, n, in] · weightᵀ [in, out] + bias [out] → [B, n, out], nn.Linear's layout of the weight, [out, in]. Q_i = x
/// W_qᵀ + b_q and so on (Vaswani et al. 2017, §3.2.2). An undefined weight means the identity, an undefined bias zero;
/// if both are undefined, the result is `x`.
Tensor project(const Tensor& x, const Tensor& weight, const Tensor& bias, const Workers& workers = {});

/// [B, n, H·d] → [B, H, n, d]: view(B, n, H, d).transpose(1, 2). Copies nothing.
Tensor split_heads(const Tensor& channels, Index heads);
/// [B, H, n, d] → [B, n, H·d]: transpose(1, 2).view(B, n, H·d). Copies unless `heads` already has that memory layout.
Tensor merge_heads(const Tensor& heads);

/// weights [B, H, n_q, n_k] · V_g [B, G, n_k, d] → [B, H, n_q, d], g = ⌊h / (H/G)⌋ (Vaswani et al. 2017, eq. 1). The
/// memory layout is [B, n_q, H, d], so that merging the heads copies nothing.
Tensor gather_values(const Tensor& weights, const Tensor& values, const Workers& workers = {});
/// The mean over the heads: [B, H, n, d] → [B, n, d].
Tensor mean_over_heads(const Tensor& heads);

/// `head_outputs` with the outputs of these heads set to zero.
Tensor silenced(const Tensor& head_outputs, std::span<const Index> heads);

// Q, K or V of a sequence that is too long to store all heads: rows are projected when they are read, a head when it is
// shown.
class ProjectedHeads : public MatrixSource {
 public:
  /// x [B, n, in], weight [heads · d_head, in], bias [heads · d_head] or undefined.
  ProjectedHeads(Tensor x, Tensor weight, Tensor bias, Index heads, int threads);

  /// All rows of one head, [n, d_head], recomputed on each call. Throws Cancelled.
  Tensor head(Index b, Index h, const std::stop_token& stop = {}) const;
  /// Rows [first, first + to.rows) of one head.
  void project_rows(Index b, Index h, Index first, const MatrixTarget& to) const;
  /// Whether overflow is impossible: an upper bound from the largest magnitude in x and the sums of the weights'
  /// magnitudes, without computing a product.
  bool is_finite(double largest) const;

 private:
  /// Rows of [n, heads · d_head], the same numbers as from project().
  void compute(Index b, Index row, Index rows, Index col, Index cols, float* to) const override;
  const PackedMatrix& packed(Index h) const;

  Tensor x_, weight_, bias_;
  Index heads_, d_head_;
  int threads_;
  mutable std::mutex mutex_;
  mutable std::vector<PackedMatrix> packed_;  // the weights, by head
};

/// The largest magnitude in x [B, n, in]; infinite if a number is not finite.
double largest_magnitude(const Tensor& x, int threads);
/// The projection, computed when it is read; undefined if it could overflow. `largest` is the largest magnitude in its
/// x.
Tensor project_on_demand(std::shared_ptr<const ProjectedHeads> source, Shape shape, double largest);
/// The source of a projected tensor or of a view of one; null if the numbers are in memory.
const ProjectedHeads* projected_heads(const Tensor& tensor);
/// One head of a tensor [B, H, n, d], for matrix(). If the tensor is projected when it is read, the head is computed
/// into memory. Throws Cancelled.
Tensor head_of(const Tensor& heads, Index b, Index h, const std::stop_token& stop = {});

}  // namespace headlight
