#include "core/diagnosis/agreement.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

double distance(float mine, float right) {
  if (mine == right || (std::isnan(mine) && std::isnan(right))) return 0;
  const double apart = std::abs(static_cast<double>(mine) - static_cast<double>(right));
  return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

std::vector<Index> index_of(std::size_t position, const Shape& shape) {
  std::vector<Index> index(shape.size(), 0);
  auto rest = static_cast<Index>(position);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  return index;
}

}  // namespace

double tolerance(float right, float slack) {
  return 1e-5 + (1e-4 + static_cast<double>(slack)) * std::abs(static_cast<double>(right));
}

bool agree(float mine, float right, float slack) {
  if (!std::isfinite(mine) || !std::isfinite(right)) return mine == right || (std::isnan(mine) && std::isnan(right));
  return distance(mine, right) <= tolerance(right, slack);
}

namespace {

using Floats = std::span<const float>;

/// Whether the numbers differ as those of a computation in half precision do: measured with PyTorch's, whose typical
/// difference is 0.5 to 1.6 times the slack from Q to the output, and the largest up to 14 times.
bool agree_as_rounded(Floats mine, Floats right, float slack) {
  constexpr double most = 16, typical = 2;
  constexpr float least_score = -1e3F;  // below it is a fill
  double differences = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (!std::isfinite(right[i]) || !std::isfinite(mine[i]) || right[i] <= least_score) continue;
    differences += distance(mine[i], right[i]) * distance(mine[i], right[i]);
    squares += static_cast<double>(right[i]) * static_cast<double>(right[i]);
    ++count;
  }
  const double step = static_cast<double>(slack) * std::sqrt(squares / std::max(count, 1.0));
  if (std::sqrt(differences / std::max(count, 1.0)) > typical * step) return false;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const bool close = std::isfinite(mine[i]) && std::isfinite(right[i]) &&
                       distance(mine[i], right[i]) <= tolerance(right[i], slack) + most * step;
    if (!close && !agree(mine[i], right[i], slack)) return false;
  }
  return true;
}

bool each_agrees(Floats mine, Floats right, float slack) {
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (!agree(mine[i], right[i], slack)) return slack > 0 && agree_as_rounded(mine, right, slack);
  }
  return true;
}

}  // namespace

Agreement agreement(const Tensor& mine, const Tensor& right, float slack) {
  assert(mine.shape() == right.shape());
  const Tensor a = mine.contiguous(), b = right.contiguous();
  const Floats as = a.values(), bs = b.values();
  Agreement result{.agrees = each_agrees(as, bs, slack)};
  std::size_t at = 0;
  for (std::size_t i = 0; i < as.size(); ++i) {
    const double apart = distance(as[i], bs[i]);
    if (apart <= result.largest) continue;
    result.largest = apart;
    at = i;
  }
  if (as.empty()) return result;
  result.at = index_of(at, mine.shape());
  result.mine = as[at];
  result.right = bs[at];
  return result;
}

bool all_agree(const Tensor& mine, const Tensor& right, float slack) {
  if (mine.shape() != right.shape()) return false;
  const Tensor a = mine.contiguous(), b = right.contiguous();
  return each_agrees(a.values(), b.values(), slack);
}

}  // namespace headlight
