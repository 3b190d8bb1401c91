// The box of a figure's label, for tests that nothing is cut off or overlaps.
#pragma once

#include <cmath>
#include <numbers>

#include "core/figures/figure/typesetter.h"

namespace headlight {

struct LabelBox {
  Point corner[4];
};

/// The rotated box of the label, from the top of its capitals to its descent.
inline LabelBox label_box(const Label& label, Typesetter& typesetter) {
  const double radians = static_cast<double>(label.angle) * std::numbers::pi / 180;
  const auto cosine = static_cast<float>(std::cos(radians));
  const auto sine = static_cast<float>(std::sin(radians));
  const float length = typesetter.width(label.text, label.role, label.size);
  const float left = anchored(label.anchor, length);
  const float up = -2 * typesetter.half_height(label.role, label.size), down = 0.2f * label.size;
  LabelBox box;
  const Point local[4] = {{left, up}, {left + length, up}, {left + length, down}, {left, down}};
  for (int i = 0; i < 4; ++i) {
    const auto [x, y] = local[i];
    box.corner[i] = {label.at.x + x * cosine - y * sine, label.at.y + x * sine + y * cosine};
  }
  return box;
}

}  // namespace headlight
