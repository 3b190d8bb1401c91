// Rect: a rectangle of pixels, on screen or on a canvas.
#pragma once

#include <imgui.h>

namespace headlight {

struct Rect {
  ImVec2 min, max;
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
  ImVec2 centre() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
  bool contains(ImVec2 p) const { return p.x >= min.x && p.y >= min.y && p.x < max.x && p.y < max.y; }
  Rect grown(float by) const { return {{min.x - by, min.y - by}, {max.x + by, max.y + by}}; }
  friend bool operator==(const Rect& a, const Rect& b) {
    return a.min.x == b.min.x && a.min.y == b.min.y && a.max.x == b.max.x && a.max.y == b.max.y;
  }
};

}  // namespace headlight
