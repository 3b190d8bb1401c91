#pragma once

#include <algorithm>

namespace headlight {

/// The most pixels to a unit, up to `wanted`, at which a picture of a box this large has at most 8192 pixels a side.
inline float raster_scale(float width, float height, float wanted) {
  constexpr float most = 8192;
  return std::min(wanted, most / std::max(width, height));
}

}  // namespace headlight
