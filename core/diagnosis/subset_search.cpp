#include "core/diagnosis/subset_search.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace headlight {
namespace {

/// The largest |a + b − target|.
double apart(std::span<const double> a, std::span<const double> b, std::span<const double> target) {
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
  for (std::size_t set = 0; set < subsets; ++set) order.push_back(set);
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
      const double here = apart(left_.sum(a), right_.sum(*b), target);
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
