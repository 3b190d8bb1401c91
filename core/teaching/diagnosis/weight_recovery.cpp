#include "core/teaching/diagnosis/weight_recovery.h"

#include <Eigen/QR>
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/compute/attention/projection.h"
#include "core/teaching/diagnosis/reproduction.h"

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
    if (columns.cols() == 0 || !target.allFinite()) return;
    Vector found;
    if (columns.rows() >= columns.cols()) {
      const Eigen::ColPivHouseholderQR<Matrix> system(columns);
      if (system.rank() == columns.cols()) found = system.solve(target);
    }
    if (found.size() == 0) found = dropped(b, q, unknowns, columns, target);
    for (Index i = 0; i < found.size(); ++i) {
      const Unknown& unknown = unknowns[static_cast<std::size_t>(i)];
      cell(b, unknown.head, q, unknown.key) = static_cast<float>(found[i]);
    }
  }

  /// Lists the keys that query q of head h attends to; the other weights are 0.
  void attended(Index b, Index h, Index q, std::vector<Unknown>& unknowns) {
    const MatrixView weights = run_[Stage::weights].matrix(b, h);
    for (Index k = 0; k < weights.cols; ++k) {
      if (weights(q, k) > 0) unknowns.push_back({h, k});
      else cell(b, h, q, k) = weights(q, k);
    }
  }

  /// The value vector [d_head] for the unknown's key and head.
  Vector value_of(Index b, const Unknown& unknown) const {
    const Tensor& values = run_[Stage::V_heads];
    const MatrixView m = values.matrix(b, unknown.head / (run_.dims().heads / values.size(1)));
    Vector v(m.cols);
    for (Index i = 0; i < m.cols; ++i) v[i] = static_cast<double>(m(unknown.key, i));
    return v;
  }

  Tensor tensor() && { return Tensor(run_[Stage::weights].shape(), std::move(values_)); }

 private:
  /// If a system has many solutions: the run's weights with some of them dropped and the rest scaled by 1/(1 − p) for a
  /// usual p.
  Vector dropped(Index b, Index q, const std::vector<Unknown>& unknowns, const Matrix& columns, const Vector& target) {
    if (unknowns.size() > SubsetSums::most_terms || probabilities_.empty()) return {};
    Vector weights(columns.cols());
    std::vector<std::vector<double>> terms;
    for (Index i = 0; i < columns.cols(); ++i) {
      const Unknown& unknown = unknowns[static_cast<std::size_t>(i)];
      weights[i] = static_cast<double>(run_[Stage::weights].matrix(b, unknown.head)(q, unknown.key));
      const Vector term = weights[i] * columns.col(i);
      terms.emplace_back(term.begin(), term.end());
    }
    const SubsetSums sums(terms);
    for (double& p : probabilities_) {
      const Vector sum = target * (1 - p);
      const auto keep = sums.closest({sum.begin(), sum.end()}, 1e-5 + 1e-4 * sum.cwiseAbs().maxCoeff());
      if (!keep) continue;
      for (Index k = 0; k < weights.size(); ++k) weights[k] *= (*keep)[static_cast<std::size_t>(k)] ? 1 / (1 - p) : 0;
      std::swap(probabilities_.front(), p);  // the next row tries this p first
      return weights;
    }
    probabilities_.clear();  // if no p fits one row, this is no dropout
    return {};
  }

  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();

  float& cell(Index b, Index h, Index q, Index k) {
    const Dims& d = run_.dims();
    return values_[static_cast<std::size_t>(((b * d.heads + h) * d.n_q + q) * d.n_k + k)];
  }

  const Trace& run_;
  Buffer values_;
  std::vector<double> probabilities_{0.1, 0.5,  0.2, 0.3, 0.05, 0.25, 0.4,  0.15, 0.6,
                                     0.7, 0.75, 0.8, 0.9, 0.01, 0.02, 0.35, 0.45};
};

Vector row_of(const MatrixView& m, Index row, Index first, Index count) {
  Vector v(count);
  for (Index i = 0; i < count; ++i) v[i] = static_cast<double>(m(row, first + i));
  return v;
}

/// W_o [out, in] and b_o; b_o is zero if there is none.
std::pair<Matrix, Vector> output_projection(const Trace& run) {
  const MatrixView w = run[Stage::W_o].matrix();
  Matrix W_o(w.rows, w.cols);
  for (Index i = 0; i < w.rows; ++i) W_o.row(i) = row_of(w, i, 0, w.cols).transpose();
  return {W_o, run.has(Stage::b_o) ? row_of(run[Stage::b_o].matrix(), 0, 0, w.rows) : Vector(Vector::Zero(w.rows))};
}

/// Solves head_outputs = weights · V for each head.
Tensor from_concat(const Trace& run, const Tensor& concat) {
  const Dims& d = run.dims();
  const Index d_v = run[Stage::V_heads].size(3);
  Recovery recovery(run);
  for (Index b = 0; b < d.batch; ++b) {
    for (Index h = 0; h < d.heads; ++h) {
      for (Index q = 0; q < d.n_q; ++q) {
        std::vector<Unknown> unknowns;
        recovery.attended(b, h, q, unknowns);
        Matrix columns(d_v, static_cast<Index>(unknowns.size()));
        for (Index i = 0; i < columns.cols(); ++i)
          columns.col(i) = recovery.value_of(b, unknowns[static_cast<std::size_t>(i)]);
        recovery.solve(b, q, unknowns, columns, row_of(concat.matrix(b), q, h * d_v, d_v));
      }
    }
  }
  return std::move(recovery).tensor();
}

/// Solves output − b_o = Σ_h W_o,h (weights_h · V_h) for all heads together.
Tensor from_output(const Trace& run, const Tensor& output) {
  const Dims& d = run.dims();
  const auto [W_o, bias] = output_projection(run);
  Recovery recovery(run);
  for (Index b = 0; b < d.batch; ++b) {
    for (Index q = 0; q < d.n_q; ++q) {
      std::vector<Unknown> unknowns;
      for (Index h = 0; h < d.heads; ++h) recovery.attended(b, h, q, unknowns);
      if (static_cast<Index>(unknowns.size()) > std::max<Index>(d.d_out, SubsetSums::most_terms)) continue;
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

/// The stage that the user saved, if it differs from the run.
const OwnStage* differing(const Trace& run, const OwnStages& own, Stage stage) {
  const OwnStage* found = own.find(stage);
  if (!found || !found->fits || all_agree(found->values, counterpart(run, stage), found->slack)) return nullptr;
  return found;
}

/// For each position in concat, the head whose outputs are there; empty if some channels are no head's.
std::vector<Index> order_in_concat(const Tensor& concat, const Tensor& heads, float slack) {
  const Index count = heads.size(1), size = heads.size(3);
  std::vector<Index> order;
  for (Index place = 0; place < count; ++place) {
    const Tensor channels = concat.slice(2, place * size, size);
    Index head = 0;
    while (head < count && !all_agree(channels, heads.slice(1, head, 1).contiguous().view(channels.shape()), slack))
      ++head;
    if (head == count) return {};
    order.push_back(head);
  }
  return order;
}

/// Solves output − b_o = Σ_place Σ_head P[place, head] W_o,place head_head by least squares. P must be a permutation.
std::vector<Index> order_in_output(const Trace& run, const Tensor& output) {
  const Dims& d = run.dims();
  const Tensor& heads = run[Stage::head_outputs];
  const Index unknowns = d.heads * d.heads, size = heads.size(3);
  const auto [W_o, bias] = output_projection(run);
  const Index most_rows = 4 * unknowns / d.d_out + 4;
  Matrix columns(most_rows * d.d_out, unknowns);
  Vector target(most_rows * d.d_out);
  Index rows = 0;
  for (Index row = 0; row < d.batch * d.n_q && rows < most_rows; ++row) {
    const Index b = row / d.n_q, q = row % d.n_q, first = rows * d.d_out;
    target.segment(first, d.d_out) = row_of(output.matrix(b), q, 0, d.d_out) - bias;
    for (Index head = 0; head < d.heads; ++head) {
      const Vector gathered = row_of(heads.matrix(b, head), q, 0, size);
      for (Index place = 0; place < d.heads; ++place) {
        columns.block(first, place * d.heads + head, d.d_out, 1) = W_o.middleCols(place * size, size) * gathered;
      }
    }
    if (target.segment(first, d.d_out).allFinite() && columns.middleRows(first, d.d_out).allFinite()) ++rows;
  }
  columns.conservativeResize(rows * d.d_out, Eigen::NoChange);
  target.conservativeResize(rows * d.d_out);
  if (columns.rows() < unknowns) return {};
  const Eigen::ColPivHouseholderQR<Matrix> system(columns);
  if (system.rank() < unknowns) return {};
  const Vector found = system.solve(target);
  std::vector<Index> order;
  for (Index place = 0; place < d.heads; ++place) {
    Index head = 0;
    if (found.segment(place * d.heads, d.heads).maxCoeff(&head) < 0.9) return {};
    order.push_back(head);
  }
  return order;
}

}  // namespace

std::vector<Index> head_order(const Trace& run, const OwnStages& own) {
  constexpr Index most_heads = 16;  // the system has heads² unknowns
  const Index heads = run.dims().heads;
  std::vector<Index> order, identity(static_cast<std::size_t>(heads));
  std::iota(identity.begin(), identity.end(), Index{0});
  if (const OwnStage* concat = differing(run, own, Stage::concat)) {
    order = order_in_concat(concat->values, run[Stage::head_outputs], concat->slack);
  } else if (const OwnStage* output = differing(run, own, Stage::output); output && heads <= most_heads) {
    order = run.has(Stage::W_o) ? order_in_output(run, output->values)
                                : order_in_concat(output->values, run[Stage::head_outputs], output->slack);
  }
  return order == identity ? std::vector<Index>{} : order;
}

Tensor recover_weights(const Trace& run, const OwnStages& own) {
  for (const Stage stage : {Stage::dropped_weights, Stage::weights}) {
    if (const OwnStage* found = differing(run, own, stage)) return found->values;
  }
  if (const OwnStage* found = differing(run, own, Stage::head_outputs))
    return from_concat(run, merge_heads(found->values));
  if (const OwnStage* found = differing(run, own, Stage::concat)) return from_concat(run, found->values);
  if (const OwnStage* found = differing(run, own, Stage::output)) {
    return run.has(Stage::W_o) ? from_output(run, found->values) : from_concat(run, found->values);
  }
  return {};
}

namespace {

/// The largest |a + b − target|.
double largest_difference(std::span<const double> a, std::span<const double> b, std::span<const double> target) {
  double most = 0;
  for (std::size_t i = 0; i < target.size(); ++i) most = std::max(most, std::abs(a[i] + b[i] - target[i]));
  return most;
}

}  // namespace

SubsetSums::Half::Half(std::span<const Vector> terms, std::size_t width_) : width(width_) {
  const std::size_t subsets = std::size_t{1} << terms.size();
  numbers.resize(subsets * width, 0);
  for (std::size_t set = 1; set < subsets; ++set) {
    const Vector& last = terms[static_cast<std::size_t>(std::countr_zero(set))];
    const std::size_t rest = set & (set - 1);
    for (std::size_t i = 0; i < width; ++i) numbers[set * width + i] = numbers[rest * width + i] + last[i];
  }
  order.resize(subsets);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [this](std::size_t set) { return sum(set)[0]; });
}

SubsetSums::SubsetSums(const std::vector<Vector>& terms)
    : terms_(terms.size()),
      left_(std::span(terms).first(terms.size() / 2), terms.at(0).size()),
      right_(std::span(terms).subspan(terms.size() / 2), terms.at(0).size()) {
  assert(terms_ <= most_terms);
}

std::optional<std::vector<bool>> SubsetSums::closest(const Vector& target, double tolerance) const {
  double best = tolerance;
  std::optional<std::size_t> found;
  const auto first_number = [this](std::size_t set) { return right_.sum(set)[0]; };
  for (const std::size_t a : left_.order) {
    const double wanted = target[0] - left_.sum(a)[0];
    auto b = std::ranges::lower_bound(right_.order, wanted - tolerance, {}, first_number);
    for (; b != right_.order.end() && first_number(*b) <= wanted + tolerance; ++b) {
      const double here = largest_difference(left_.sum(a), right_.sum(*b), target);
      if (here > best) continue;
      best = here;
      found = a | *b << (terms_ / 2);
    }
  }
  if (!found) return {};
  std::vector<bool> subset(terms_);
  for (std::size_t i = 0; i < terms_; ++i) subset[i] = (*found >> i & 1U) != 0;
  return subset;
}

}  // namespace headlight
