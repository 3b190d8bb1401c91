#include <algorithm>
#include <cmath>

#include "core/network/weights.h"

namespace headlight {
namespace {

/// The row of the table for a query that stands `distance` positions after the key.
Index place_of_distance(Index distance, const PlacesSpec& spec) {
  Index bucket = distance;
  const Index magnitude = std::abs(distance), middle = spec.buckets / 2;
  if (spec.buckets > 0 && magnitude > middle) {
    const double growth = std::log(static_cast<double>(magnitude) / static_cast<double>(middle)) /
                          std::log(static_cast<double>(spec.furthest - 1) / static_cast<double>(middle));
    const auto log_bucket = static_cast<Index>(std::ceil(growth * static_cast<double>(middle - 1))) + middle;
    bucket = distance < 0 ? -log_bucket : log_bucket;
  }
  return std::clamp<Index>(bucket + spec.span, 0, 2 * spec.span - 1);
}

double product(const MatrixView& a, Index row, const MatrixView& b, Index other) {
  double sum = 0;
  for (Index i = 0; i < a.cols; ++i) sum += static_cast<double>(a(row, i)) * static_cast<double>(b(other, i));
  return sum;
}

}  // namespace

PlacesTerms places_terms(const PlacesSpec& spec, const Tensor& queries, const Tensor& keys, const Tensor& place_queries,
                         const Tensor& place_keys, double scale) {
  const Index n_q = queries.size(2), n_k = keys.size(2);
  Buffer to, from;
  for (Index b = 0; b < queries.size(0); ++b) {
    for (Index h = 0; h < queries.size(1); ++h) {
      const MatrixView q = queries.matrix(b, h), k = keys.matrix(b, h);
      const MatrixView place_q = place_queries.matrix(0, h), place_k = place_keys.matrix(0, h);
      for (Index row = 0; row < n_q; ++row) {
        for (Index col = 0; col < n_k; ++col) {
          const Index place = place_of_distance(row - col, spec);
          to.push_back(static_cast<float>(spec.to_place ? scale * product(q, row, place_k, place) : 0));
          from.push_back(static_cast<float>(spec.from_place ? scale * product(k, col, place_q, place) : 0));
        }
      }
    }
  }
  const Shape shape{queries.size(0), queries.size(1), n_q, n_k};
  return {Tensor(shape, std::move(to)), Tensor(shape, std::move(from))};
}

}  // namespace headlight
