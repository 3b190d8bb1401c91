#include "core/image/changes.h"

#include <algorithm>
#include <cstring>

namespace headlight {
namespace {

const std::uint8_t* row_of(const Image& image, int y) {
  return image.rgba.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) * 4;
}

bool equal_rows(const Image& a, const Image& b, int y) {
  return std::memcmp(row_of(a, y), row_of(b, y), static_cast<std::size_t>(a.width) * 4) == 0;
}

}  // namespace

ChangedPart changed_part(const Image& now, const Image& last) {
  if (last.rgba.empty()) return {0, 0, now.width, now.height};
  int top = 0, bottom = now.height;
  while (top < bottom && equal_rows(now, last, top)) ++top;
  while (bottom > top && equal_rows(now, last, bottom - 1)) --bottom;
  int left = now.width, right = 0;
  for (int y = top; y < bottom; ++y) {
    const std::uint8_t *row = row_of(now, y), *before = row_of(last, y);
    const auto differs = [&](int x) { return std::memcmp(row + x * 4, before + x * 4, 4) != 0; };
    for (int x = 0; x < left; ++x) {
      if (differs(x)) left = x;
    }
    for (int x = now.width - 1; x >= right; --x) {
      if (differs(x)) right = x + 1;
    }
  }
  return {left, top, std::max(0, right - left), bottom - top};
}

Image changes(const Image& now, const Image& before, const ChangedPart& at) {
  Image part(at.width, at.height);
  for (int y = 0; y < at.height; ++y) {
    const std::uint8_t* row = row_of(now, at.y + y);
    const std::uint8_t* old = before.rgba.empty() ? nullptr : row_of(before, at.y + y);
    for (int x = at.x; x < at.x + at.width; ++x) {
      if (old != nullptr && std::memcmp(row + x * 4, old + x * 4, 4) == 0) continue;
      part.set(x - at.x, y, {row[x * 4], row[x * 4 + 1], row[x * 4 + 2], 255});
    }
  }
  return part;
}

}  // namespace headlight
