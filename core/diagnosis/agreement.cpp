#include "core/diagnosis/agreement.h"

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

Agreement agreement(const Tensor& mine, const Tensor& right, float slack) {
  assert(mine.shape() == right.shape());
  const Tensor a = mine.contiguous(), b = right.contiguous();
  const std::span<const float> as = a.values(), bs = b.values();
  Agreement result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < as.size(); ++i) {
    result.agrees = result.agrees && agree(as[i], bs[i], slack);
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
  const std::span<const float> as = a.values(), bs = b.values();
  for (std::size_t i = 0; i < as.size(); ++i) {
    if (!agree(as[i], bs[i], slack)) return false;
  }
  return true;
}

}  // namespace headlight
