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

/// The way from 0 to 1, slow at both ends.
inline float eased(float t) { return t * t * (3 - 2 * t); }

inline float mixed(float from, float to, float t) { return from + (to - from) * t; }
inline ImVec2 mixed(ImVec2 from, ImVec2 to, float t) { return {mixed(from.x, to.x, t), mixed(from.y, to.y, t)}; }
inline Rect mixed(const Rect& from, const Rect& to, float t) {
  return {mixed(from.min, to.min, t), mixed(from.max, to.max, t)};
}

}  // namespace headlight
