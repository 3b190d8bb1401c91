#include "core/rules/position/sinusoids.h"

#include <cmath>

#include "core/base/tensor/each_matrix.h"

namespace headlight {

Tensor sinusoids(Index n, Index d, SinusoidOrder order) {
  const bool sines_first = order == SinusoidOrder::sines_first;
  const Index sines = (d + 1) / 2;
  return from_cells(n, d, [&](Index position, Index column) {
    const bool sine = sines_first ? column < sines : column % 2 == 0;
    const Index wave = !sines_first ? column / 2 : sine ? column : column - sines;
    const double exponent = 2 * static_cast<double>(wave) / static_cast<double>(d);
    const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
    return static_cast<float>(sine ? std::sin(angle) : std::cos(angle));
  });
}

}  // namespace headlight
