#include <numeric>

#include "core/base/tensor/sampler.h"
#include "core/teaching/diagnosis/weight_recovery.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

using Vector = SubsetSums::Vector;

std::vector<Vector> drawn_terms(std::size_t count, std::size_t width) {
  Sampler sampler(1, "terms");
  std::vector<Vector> terms(count, Vector(width));
  for (Vector& term : terms) {
    for (double& number : term) number = static_cast<double>(sampler.uniform()) - 0.5;
  }
  return terms;
}

Vector sum_of(const std::vector<Vector>& terms, const std::vector<bool>& subset) {
  Vector sum(terms[0].size(), 0);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t k = 0; k < sum.size() && subset[i]; ++k) sum[k] += terms[i][k];
  }
  return sum;
}

}  // namespace

TEST_CASE("the subset that was added up is found, whatever its size") {
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{16}}) {
    const std::vector<Vector> terms = drawn_terms(count, 5);
    const SubsetSums sums(terms);
    for (std::size_t step = 1; step <= 3; ++step) {
      std::vector<bool> subset(count);
      for (std::size_t i = 0; i < count; ++i) subset[i] = i % step == 0;
      CAPTURE(count, step);
      CHECK(sums.closest(sum_of(terms, subset), 1e-6) == subset);
    }
    CHECK(sums.closest(Vector(5, 0), 1e-6) == std::vector<bool>(count));
  }
}

TEST_CASE("no subset is found for a sum that none comes close to") {
  const std::vector<Vector> terms = drawn_terms(10, 3);
  Vector target = sum_of(terms, std::vector<bool>(10, true));
  target[2] += 1e-3;
  CHECK_FALSE(SubsetSums(terms).closest(target, 1e-4));
  CHECK(SubsetSums(terms).closest(target, 1e-2));
}
