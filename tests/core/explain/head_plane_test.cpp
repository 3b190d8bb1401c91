#include "core/teaching/explain/head_plane.h"

#include <cmath>

#include "tests/catch.h"

using namespace headlight;

namespace {

MatrixView view_of(const std::vector<float>& values, Index cols) {
  const auto rows = static_cast<Index>(values.size()) / cols;
  return {values.data(), rows, cols, cols, 1};
}

}  // namespace

TEST_CASE("for d_head 2 the plane holds both numbers, and nothing is left out") {
  const std::vector<float> q{1, 2, -3, 0.5f}, k{0, 1};
  const HeadPlane plane(view_of(q, 2), view_of(k, 2));
  CHECK(plane.whole());
  CHECK(plane.query_share() == 1);
  CHECK(plane.queries()[1].x == -3);
  CHECK(plane.queries()[1].y == 0.5);
  CHECK(plane.keys()[0].y == 1);
}

TEST_CASE("vectors that lie in a plane keep their lengths and dot products when projected to it") {
  // Linear combinations of (1, 2, 0, −1) and (0, 1, 1, 3), which are not along the axes.
  const std::vector<float> q{2, 4, 0, -2, 1, 3, 1, 2}, k{1, 1, -1, -4, 0, 2, 2, 6};
  const HeadPlane plane(view_of(q, 4), view_of(k, 4));
  CHECK_FALSE(plane.whole());
  CHECK(plane.query_share() == Approx(1));
  CHECK(plane.key_share() == Approx(1));
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      const DotProduct dot = dot_product(std::span(q).subspan(4 * i, 4), std::span(k).subspan(4 * j, 4));
      const PlanePoint a = plane.queries()[i], b = plane.keys()[j];
      CHECK(a.x * b.x + a.y * b.y == Approx(dot.score).margin(1e-6));
    }
  }
}

TEST_CASE("the share is how much of the vectors' squared lengths lies in the plane") {
  // Queries and keys lie along three axes with squares 9 + 9, 4 + 4 and 1 + 1; the plane has the two largest.
  const std::vector<float> all{3, 0, 0, 0, 2, 0, 0, 0, 1};
  const HeadPlane plane(view_of(all, 3), view_of(all, 3));
  CHECK(plane.query_share() == Approx(13.0 / 14));
  CHECK(plane.key_share() == Approx(13.0 / 14));
  CHECK(std::hypot(plane.queries()[2].x, plane.queries()[2].y) == Approx(0).margin(1e-9));
  const std::vector<float> other{0, 0, 5};
  CHECK(std::abs(plane.shadow(other).x) + std::abs(plane.shadow(other).y) == Approx(0).margin(1e-9));
}

TEST_CASE("a score is length times length times cosine, and a zero vector has no direction") {
  const std::vector<float> q{3, 4}, k{4, 3}, none{0, 0};
  const DotProduct dot = dot_product(q, k);
  CHECK(dot.score == 24);
  CHECK(dot.query_length == 5);
  CHECK(dot.query_length * dot.key_length * dot.cosine == Approx(dot.score));
  CHECK(dot_product(q, none).cosine == 0);
}

TEST_CASE("a row that is not finite does not change the others") {
  const std::vector<float> q{1, 0, 0, std::nanf(""), 0, 0}, k{0, 1, 0};
  const HeadPlane plane(view_of(q, 3), view_of(k, 3));
  CHECK(std::isfinite(plane.queries()[0].x));
  CHECK(std::hypot(plane.queries()[0].x, plane.queries()[0].y) == Approx(1));
  CHECK(plane.queries()[1].x == 0);
}

TEST_CASE("the plane through a query and a key keeps their lengths and angle, and the key lies above") {
  const std::vector<float> q{3, 0, 4, 1, -1, 2, 5, 0}, k{1, 1, 1, -2, 6, 0, 8, 2, 0, 0, 0, 0};
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 3; ++j) {
      const auto query = std::span(q).subspan(static_cast<std::size_t>(4 * i), 4),
                 key = std::span(k).subspan(static_cast<std::size_t>(4 * j), 4);
      const HeadPlane plane(view_of(q, 4), view_of(k, 4), i, j);
      const DotProduct dot = dot_product(query, key);
      const PlanePoint a = plane.queries()[static_cast<std::size_t>(i)], b = plane.keys()[static_cast<std::size_t>(j)];
      CHECK(std::hypot(a.x, a.y) == Approx(dot.query_length));
      CHECK(std::hypot(b.x, b.y) == Approx(dot.key_length).margin(1e-9));
      CHECK(a.x * b.x + a.y * b.y == Approx(dot.score).margin(1e-6));
      CHECK(a.x > 0);
      CHECK(a.y == Approx(0).margin(1e-6));
      CHECK(b.y >= -1e-6);
      CHECK(plane.share_of(query, key) == Approx(1));
      CHECK(plane.share_of(std::span(q).subspan(0, 4), std::span(k).subspan(4, 4)) <= 1);
    }
  }
  const HeadPlane other(view_of(q, 4), view_of(k, 4), 0, 0);
  CHECK(other.share_of(std::span(q).subspan(4, 4), std::span(k).subspan(4, 4)) < 0.999);
}
