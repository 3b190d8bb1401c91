// Font sizes that are drawn without scaling.
#pragma once

#include "ui/look/fonts.h"

namespace headlight {

/// The smallest unscaled size of this face that is at least `pixels`.
inline float size_not_below(const Fonts& fonts, Face face, float pixels) {
  float size = pixels;
  for (int i = 0; i < 40 && fonts.crisp(face, size) < pixels - 0.01f; ++i) size *= 1.03f;
  return fonts.crisp(face, size);
}

}  // namespace headlight
