#include "core/figure/canvas.h"

namespace headlight {

std::vector<Point> turned_alike(const std::vector<Point>& polygon) {
  float twice = 0;  // the area, below zero where it goes the other way
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  if (twice < 0) return {polygon.rbegin(), polygon.rend()};
  return polygon;
}

}  // namespace headlight
