#include "core/diagnosis/weight_recovery.h"

#include <cmath>
#include <limits>

#include <Eigen/QR>

#include "core/diagnosis/agreement.h"

namespace headlight {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct Unknown {
  Index head, key;
};

class Recovery {
 public:
  explicit Recovery(const Trace& run) : run_(run), values_(run[Stage::weights].contiguous().values().size(), nan) {}

  /// `columns` holds what one unit of each unknown weight of query (b, q) adds to `target`.
  void solve(Index b, Index q, const std::vector<Unknown>& unknowns, const Matrix& columns, const Vector& target) {
    if (columns.cols() == 0 || columns.rows() < columns.cols() || !target.allFinite()) return;
    const Eigen::ColPivHouseholderQR<Matrix> system(columns);
    if (system.rank() < columns.cols()) return;
    const Vector found = system.solve(target);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      cell(b, unknowns[i].head, q, unknowns[i].key) = static_cast<float>(found[static_cast<Index>(i)]);
    }
  }

  /// The keys that query q of head h attends to at all; the others' weights are 0.
  void attended(Index b, Index h, Index q, std::vector<Unknown>& unknowns) {
    const MatrixView weights = run_[Stage::weights].matrix(b, h);
    for (Index k = 0; k < weights.cols; ++k) {
      if (weights(q, k) > 0) {
        unknowns.push_back({h, k});
      } else {
        cell(b, h, q, k) = weights(q, k);
      }
    }
  }

  /// V of the key/value head that serves the unknown's head, as numbers along d_head.
  Vector value_of(Index b, const Unknown& unknown) const {
    const Tensor& values = run_[Stage::V_heads];
    const MatrixView m = values.matrix(b, unknown.head / (run_.dims().heads / values.size(1)));
    Vector v(m.cols);
    for (Index i = 0; i < m.cols; ++i) v[i] = static_cast<double>(m(unknown.key, i));
    return v;
  }

  Tensor tensor() && { return Tensor(run_[Stage::weights].shape(), std::move(values_)); }

 private:
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();

  float& cell(Index b, Index h, Index q, Index k) {
    const Dims& d = run_.dims();
    return values_[static_cast<std::size_t>(((b * d.heads + h) * d.n_q + q) * d.n_k + k)];
  }

  const Trace& run_;
  Buffer values_;
};

Vector row_of(const MatrixView& m, Index row, Index first, Index count) {
  Vector v(count);
  for (Index i = 0; i < count; ++i) v[i] = static_cast<double>(m(row, first + i));
  return v;
}

/// Each head on its own: head_outputs = weights · V.
Tensor from_concat(const Trace& run, const Tensor& concat) {
  const Dims& d = run.dims();
  Recovery recovery(run);
  for (Index b = 0; b < d.batch; ++b) {
    for (Index h = 0; h < d.heads; ++h) {
      for (Index q = 0; q < d.n_q; ++q) {
        std::vector<Unknown> unknowns;
        recovery.attended(b, h, q, unknowns);
        Matrix columns(d.d_head, static_cast<Index>(unknowns.size()));
        for (Index i = 0; i < columns.cols(); ++i) columns.col(i) = recovery.value_of(b, unknowns[static_cast<std::size_t>(i)]);
        recovery.solve(b, q, unknowns, columns, row_of(concat.matrix(b), q, h * d.d_head, d.d_head));
      }
    }
  }
  return std::move(recovery).tensor();
}

/// All heads at once: output − b_o = Σ_h W_o,h (weights_h · V_h).
Tensor from_output(const Trace& run, const Tensor& output) {
  const Dims& d = run.dims();
  const MatrixView w = run[Stage::W_o].matrix();
  Matrix W_o(w.rows, w.cols);
  for (Index i = 0; i < w.rows; ++i) W_o.row(i) = row_of(w, i, 0, w.cols).transpose();
  Vector bias = Vector::Zero(w.rows);
  if (run.has(Stage::b_o)) bias = row_of(run[Stage::b_o].matrix(), 0, 0, w.rows);
  Recovery recovery(run);
  for (Index b = 0; b < d.batch; ++b) {
    for (Index q = 0; q < d.n_q; ++q) {
      std::vector<Unknown> unknowns;
      for (Index h = 0; h < d.heads; ++h) recovery.attended(b, h, q, unknowns);
      if (static_cast<Index>(unknowns.size()) > d.d_out) continue;
      Matrix columns(d.d_out, static_cast<Index>(unknowns.size()));
      for (Index i = 0; i < columns.cols(); ++i) {
        const Unknown& unknown = unknowns[static_cast<std::size_t>(i)];
        columns.col(i) = W_o.middleCols(unknown.head * d.d_head, d.d_head) * recovery.value_of(b, unknown);
      }
      recovery.solve(b, q, unknowns, columns, row_of(output.matrix(b), q, 0, d.d_out) - bias);
    }
  }
  return std::move(recovery).tensor();
}

/// The stage as somebody saved it, where it differs from the run.
const OwnStage* differing(const Trace& run, const OwnStages& own, Stage stage) {
  const OwnStage* found = own.find(stage);
  if (!found || !found->fits || all_agree(found->values, counterpart(run, stage), found->slack)) return nullptr;
  return found;
}

}  // namespace

Tensor recover_weights(const Trace& run, const OwnStages& own) {
  for (const Stage stage : {Stage::dropped_weights, Stage::weights}) {
    if (const OwnStage* found = differing(run, own, stage)) return found->values;
  }
  const Dims& d = run.dims();
  if (const OwnStage* found = differing(run, own, Stage::head_outputs)) {
    return from_concat(run, found->values.transpose(1, 2).view({d.batch, d.n_q, d.heads * d.d_head}));
  }
  if (const OwnStage* found = differing(run, own, Stage::concat)) return from_concat(run, found->values);
  if (const OwnStage* found = differing(run, own, Stage::output)) {
    return run.has(Stage::W_o) ? from_output(run, found->values) : from_concat(run, found->values);
  }
  return {};
}

}  // namespace headlight
