// Queries and keys of one head as arrows in a plane, in which scores are lengths times cosines.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

struct PlanePoint {
  double x = 0, y = 0;
};

/// With d_head = 2 the plane of the two numbers; else one through the origin. It is not centred, so that angles and
/// lengths in it are those of the vectors' shadows.
class HeadPlane {
 public:
  /// `queries` [n_q, d], `keys` [n_k, d] as the scores multiply them, d >= 1. Rows with numbers that are not finite lie
  /// at 0. The plane carries most of the squared lengths of all queries and keys together: the two first right singular
  /// vectors of both, stacked, each side scaled to the same mean square.
  HeadPlane(const MatrixView& queries, const MatrixView& keys);
  /// The plane through this query and this key, in which their lengths and their angle are true: the query points to
  /// the right, the key lies above. Where they lie on one line, what else the plane goes through is the main direction.
  HeadPlane(const MatrixView& queries, const MatrixView& keys, Index query, Index key);

  const std::vector<PlanePoint>& queries() const { return queries_; }
  const std::vector<PlanePoint>& keys() const { return keys_; }
  /// Of the squared lengths of queries, of keys, the share that lies in the plane: 0 to 1; 1 where d <= 2.
  double query_share() const { return query_share_; }
  double key_share() const { return key_share_; }
  /// Of the squared lengths of these two together; 1 where both are 0.
  double share_of(std::span<const float> query, std::span<const float> key) const;
  /// Any vector of d numbers, as its shadow.
  PlanePoint shadow(std::span<const float> vector) const;
  bool whole() const { return whole_; }

 private:
  std::array<std::vector<double>, 2> axes_;
  std::vector<PlanePoint> queries_, keys_;
  double query_share_ = 1, key_share_ = 1;
  bool whole_ = false;
};

/// Length × length × cosine: what a dot product is made of. A length of 0 has the cosine 0.
struct DotProduct {
  double query_length = 0, key_length = 0, cosine = 0, score = 0;
};
DotProduct dot_product(std::span<const float> query, std::span<const float> key);

}  // namespace headlight
