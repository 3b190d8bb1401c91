// Legends: the meaning of colours and patterns, with swatches drawn as in figures.
#pragma once

#include <span>
#include <vector>

#include "core/rules/stage/extent.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"

namespace headlight {

/// One entry of a legend.
struct Swatch {
  CellKind kind = CellKind::value;
  ImU32 colour = 0;        ///< of a value
  const char* words = "";  ///< translation key
};

/// "may attend" and "may not".
std::vector<Swatch> mask_swatches(const Frame& frame);

/// Sides of a swatch and heights of a line, in points.
inline constexpr float swatch_side = 12, swatch_line = 18;

/// Lays the entries out in a line, wrapping at `width`: put(swatch, corner, room of its words). Returns the height.
template <typename Put>
float place_swatches(const Fonts& fonts, float u, std::span<const Swatch> swatches, ImVec2 at, float width, Put&& put) {
  const float side = swatch_side * u;
  ImVec2 pen = at;
  for (const Swatch& swatch : swatches) {
    const float words = text_size(fonts, Face::ui, TypeSize::body * u, swatch.words).x;
    if (pen.x > at.x && pen.x + side + Space::near * u + words > at.x + width) pen = {at.x, pen.y + swatch_line * u};
    put(swatch, pen, at.x + width - pen.x - side - Space::near * u);
    pen.x += side + words + Space::wide * u;
  }
  return pen.y - at.y + (swatches.empty() ? 0 : swatch_line * u);
}
/// Draws them; returns the height.
float draw_swatches(const Frame& frame, ImDrawList& list, std::span<const Swatch> swatches, ImVec2 at, float width);

/// One swatch with sides of `side` pixels.
void draw_swatch(const Frame& frame, ImDrawList& list, const Swatch& swatch, ImVec2 at, float side);

}  // namespace headlight
