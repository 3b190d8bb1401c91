#include "core/figure/canvas.h"

namespace headlight {

std::vector<PathStep> through(std::initializer_list<Point> points) {
  std::vector<PathStep> steps;
  for (const Point& point : points) steps.push_back(PathStep{point});
  return steps;
}

std::vector<PathStep> around(const Box& box) {
  return through(
      {{box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}, {box.x, box.y}});
}

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
