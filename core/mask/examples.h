// Masks of published models that are no pattern of their own: one expression each, worth starting from.
#pragma once

#include <span>
#include <string_view>

#include "core/tensor/tensor.h"

namespace headlight {

struct MaskExample {
  std::string_view name;
  std::string_view expression;
  std::string_view known_from;
  Index n_q, n_k;  ///< the sizes that its numbers are written for
};

std::span<const MaskExample> mask_examples();

}  // namespace headlight
