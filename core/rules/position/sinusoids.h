// Sinusoidal positions (Vaswani et al. 2017, section 3.5).
#pragma once

#include "core/base/tensor/tensor.h"

namespace headlight {

enum class SinusoidOrder : std::uint8_t {
  alternating,  ///< sin(p / 10000^(2i/d)) in column 2i, cos of the same in column 2i + 1
  sines_first,  ///< all sines, then all cosines (Marian)
};

/// [n, d]
Tensor sinusoids(Index n, Index d, SinusoidOrder order = SinusoidOrder::alternating);

}  // namespace headlight
