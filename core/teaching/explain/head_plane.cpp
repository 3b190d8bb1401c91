#include "core/teaching/explain/head_plane.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

Eigen::VectorXd row_of(const MatrixView& matrix, Index row) {
  Eigen::VectorXd vector(matrix.cols);
  for (Index c = 0; c < matrix.cols; ++c) vector(c) = static_cast<double>(matrix(row, c));
  if (!vector.allFinite()) vector.setZero();
  return vector;
}

/// Σ v vᵀ over the rows.
Eigen::MatrixXd squares_of(const MatrixView& matrix) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(matrix.cols, matrix.cols);
  for (Index r = 0; r < matrix.rows; ++r) {
    const Eigen::VectorXd row = row_of(matrix, r);
    sum.selfadjointView<Eigen::Lower>().rankUpdate(row);
  }
  return sum.selfadjointView<Eigen::Lower>();
}

/// The two directions in which the vectors are largest, as columns.
Eigen::MatrixXd main_axes(const Eigen::MatrixXd& query_squares, const Eigen::MatrixXd& key_squares) {
  const Index d = query_squares.cols();
  const double q = query_squares.trace(), k = key_squares.trace();
  const Eigen::MatrixXd both = query_squares / (q > 0 ? q : 1) + key_squares / (k > 0 ? k : 1);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(both);
  Eigen::MatrixXd axes(d, 2);
  axes.col(0) = solver.eigenvectors().col(d - 1);  // eigenvalues are in ascending order
  axes.col(1) = solver.eigenvectors().col(d - 2);
  for (Index i = 0; i < 2; ++i) {  // a sign that is the same on every machine
    Index largest = 0;
    axes.col(i).cwiseAbs().maxCoeff(&largest);
    if (axes(largest, i) < 0) axes.col(i) = -axes.col(i);
  }
  return axes;
}

/// An orthonormal basis of the plane of both vectors: the first axis along `query`, with `key` above it.
Eigen::MatrixXd axes_through(const Eigen::VectorXd& query, const Eigen::VectorXd& key, const Eigen::MatrixXd& others) {
  Eigen::MatrixXd axes(query.size(), 2);
  const Eigen::VectorXd along = query.norm() > 0 ? query : key.norm() > 0 ? key : Eigen::VectorXd(others.col(0));
  axes.col(0) = along.normalized();
  const auto rest_of = [&](const Eigen::VectorXd& v) -> Eigen::VectorXd {
    return v - axes.col(0) * axes.col(0).dot(v);
  };
  Eigen::VectorXd up = rest_of(key);
  if (up.norm() <= 1e-6 * key.norm()) {
    up = rest_of(others.col(0));
    if (const Eigen::VectorXd second = rest_of(others.col(1)); second.norm() > up.norm()) up = second;
  }
  axes.col(1) = up.normalized();
  return axes;
}

}  // namespace

HeadPlane::HeadPlane(const MatrixView& queries, const MatrixView& keys) : HeadPlane(queries, keys, -1, -1) {}

HeadPlane::HeadPlane(const MatrixView& queries, const MatrixView& keys, Index query, Index key) {
  const Index d = queries.cols;
  whole_ = d <= 2;
  const Eigen::MatrixXd query_squares = squares_of(queries), key_squares = squares_of(keys);
  Eigen::MatrixXd axes = Eigen::MatrixXd::Identity(d, 2);
  if (!whole_) {
    axes = main_axes(query_squares, key_squares);
    if (query >= 0 && key >= 0) axes = axes_through(row_of(queries, query), row_of(keys, key), axes);
    const auto share = [&](const Eigen::MatrixXd& squares) {
      const double all = squares.trace();
      return all > 0 ? std::clamp((axes.transpose() * squares * axes).trace() / all, 0.0, 1.0) : 1.0;
    };
    query_share_ = share(query_squares);
    key_share_ = share(key_squares);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    for (Index c = 0; c < d; ++c) axes_[i].push_back(axes(c, static_cast<Index>(i)));
  }
  const auto cast = [&](const MatrixView& matrix, std::vector<PlanePoint>& out) {
    for (Index r = 0; r < matrix.rows; ++r) {
      const Eigen::Vector2d point = axes.transpose() * row_of(matrix, r);
      out.push_back({point(0), point(1)});
    }
  };
  cast(queries, queries_);
  cast(keys, keys_);
}

double HeadPlane::share_of(std::span<const float> query, std::span<const float> key) const {
  double all = 0, inside = 0;
  for (const std::span<const float> vector : {query, key}) {
    for (const float value : vector) all += static_cast<double>(value) * static_cast<double>(value);
    const PlanePoint point = shadow(vector);
    inside += point.x * point.x + point.y * point.y;
  }
  return all > 0 ? std::min(inside / all, 1.0) : 1.0;
}

PlanePoint HeadPlane::shadow(std::span<const float> vector) const {
  PlanePoint point;
  for (std::size_t i = 0; i < std::min(vector.size(), axes_[0].size()); ++i) {
    point.x += axes_[0][i] * static_cast<double>(vector[i]);
    point.y += axes_[1][i] * static_cast<double>(vector[i]);
  }
  return point;
}

DotProduct dot_product(std::span<const float> query, std::span<const float> key) {
  DotProduct made;
  double q = 0, k = 0;
  for (std::size_t i = 0; i < std::min(query.size(), key.size()); ++i) {
    const auto a = static_cast<double>(query[i]), b = static_cast<double>(key[i]);
    made.score += a * b;
    q += a * a;
    k += b * b;
  }
  made.query_length = std::sqrt(q);
  made.key_length = std::sqrt(k);
  const double lengths = made.query_length * made.key_length;
  made.cosine = lengths > 0 ? made.score / lengths : 0;
  return made;
}

}  // namespace headlight
