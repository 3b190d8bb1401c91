// Rect: a rectangle of pixels, on screen or on a canvas.
#pragma once

#include <algorithm>

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

/// The rectangle that extends this far from its centre to the left and right, and up and down.
inline Rect around(ImVec2 centre, float x, float y) {
  return {{centre.x - x, centre.y - y}, {centre.x + x, centre.y + y}};
}

/// The middle of item `i` in a row of items of one size that begins at `from`.
template <typename Number>
float middle_of(float from, float size, Number i) {
  return from + (static_cast<float>(i) + 0.5f) * size;
}

/// Maps 0…1 to 0…1, slowly at both ends.
inline float eased(float t) { return t * t * (3 - 2 * t); }
/// The finished share, 0…1, of a motion that takes the time from `from` until `until`, at time `share`.
inline float part_done(float share, float from, float until) {
  return std::clamp((share - from) / (until - from), 0.0f, 1.0f);
}
/// The same for motion `i` of `count` motions that begin one after another and overlap; together they take 0…1.
template <typename Number>
float one_by_one(float share, Number i, Number count) {
  constexpr float flight = 0.4f;  // of the time
  return std::clamp((share - (1 - flight) * static_cast<float>(i) / static_cast<float>(count)) / flight, 0.0f, 1.0f);
}

/// Linear interpolation.
inline float mixed(float from, float to, float t) { return from + (to - from) * t; }
inline ImVec2 mixed(ImVec2 from, ImVec2 to, float t) { return {mixed(from.x, to.x, t), mixed(from.y, to.y, t)}; }
inline Rect mixed(const Rect& from, const Rect& to, float t) {
  return {mixed(from.min, to.min, t), mixed(from.max, to.max, t)};
}

}  // namespace headlight
