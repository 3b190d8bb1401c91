// Queries and keys of one head as arrows in a plane, where a score is length × length × cosine.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

struct PlanePoint {
  double x = 0, y = 0;
};

/// With d_head = 2 the plane of the two numbers, otherwise a plane through the origin. It is not centred, so that its
/// angles and lengths are those of the projected vectors.
class HeadPlane {
 public:
  /// `queries` [n_q, d] and `keys` [n_k, d] as the scores multiply them, d >= 1. Rows with numbers that are not finite
  /// are at 0. The plane keeps as much as possible of the squared lengths of all queries and keys: it is spanned by the
  /// first two right singular vectors of both, stacked, with each side scaled to the same mean square.
  HeadPlane(const MatrixView& queries, const MatrixView& keys);
  /// The plane through one query and one key, which keeps their lengths and their angle: the query points to the right,
  /// the key is above it. If both are on one line, the second direction of the plane is the main direction of all
  /// vectors.
  HeadPlane(const MatrixView& queries, const MatrixView& keys, Index query, Index key);

  const std::vector<PlanePoint>& queries() const { return queries_; }
  const std::vector<PlanePoint>& keys() const { return keys_; }
  /// The share of the squared lengths of all queries, or all keys, that the plane keeps: 0 to 1; 1 if d <= 2.
  double query_share() const { return query_share_; }
  double key_share() const { return key_share_; }
  /// The same share for one query and one key together; 1 if both are 0.
  double share_of(std::span<const float> query, std::span<const float> key) const;
  /// The projection of a vector of d numbers onto the plane.
  PlanePoint shadow(std::span<const float> vector) const;
  bool whole() const { return whole_; }

 private:
  std::array<std::vector<double>, 2> axes_;
  std::vector<PlanePoint> queries_, keys_;
  double query_share_ = 1, key_share_ = 1;
  bool whole_ = false;
};

/// Length × length × cosine: the factors of a dot product. A vector of length 0 has the cosine 0.
struct DotProduct {
  double query_length = 0, key_length = 0, cosine = 0, score = 0;
};
DotProduct dot_product(std::span<const float> query, std::span<const float> key);

}  // namespace headlight
