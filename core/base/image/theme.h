// The colours around the colour maps: paper, ink, hatching. The same in exported figures and in the window.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace headlight {

enum class Theme : std::uint8_t { light, dark };

/// An sRGB colour, not premultiplied.
struct Rgba {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Rgba&) const = default;
};

/// From "RRGGBB"; asserts that it is one.
constexpr Rgba rgb(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(digit(hex[at]) * 16 + digit(hex[at + 1])); };
  return {byte(0), byte(2), byte(4), 255};
}
/// "#rrggbb", without alpha.
std::string to_hex(Rgba colour);
/// `over` laid on an opaque `ground` with `share` in [0, 1] (its own alpha is ignored).
Rgba mix(Rgba ground, Rgba over, float share);
/// WCAG 2 contrast ratio, 1 to 21.
float contrast(Rgba a, Rgba b);
/// The dark or the light ink, whichever is easier to read on `ground`.
Rgba ink_on(Rgba ground);

struct ThemeColours {
  Rgba card;  ///< the ground below matrices; the background of a figure
  Rgba ink, muted, line;
  Rgba hatch_line, hatch_ground;      ///< masked cells
  Rgba mark_line, mark_ground;        ///< NaN and +∞: a hue that none of our own maps has
  Rgba crossed_line, crossed_ground;  ///< cells that dropout removed
  Rgba allowed;                       ///< cells of a mask that may attend; the others are hatched
  Rgba query, key, value, after;      ///< the lanes, and everything after the softmax
  std::array<Rgba, 8> heads;          ///< head h has the colour heads[h % 8]; from the ninth on, also a mark
};
const ThemeColours& colours(Theme theme);

}  // namespace headlight
