// Sizes of type that are drawn sharp.
#pragma once

#include "ui/look/fonts.h"

namespace headlight {

/// The smallest size not below `pixels` that this face is drawn sharp at.
inline float size_not_below(const Fonts& fonts, Face face, float pixels) {
  float size = pixels;
  for (int i = 0; i < 40 && fonts.crisp(face, size) < pixels - 0.01f; ++i) size *= 1.03f;
  return fonts.crisp(face, size);
}

}  // namespace headlight
