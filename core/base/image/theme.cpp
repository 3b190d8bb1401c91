#include "core/base/image/theme.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"

namespace headlight {
namespace {

// Distinct hues for lanes, heads, signs and weights. People with colour blindness can tell them apart:
// tests/core/figure/colour_vision_test.cpp measures it.
constexpr std::array<Rgba, 8> on_light{rgb("9A0421"), rgb("1399AF"), rgb("888E38"), rgb("363391"),
                                       rgb("B37383"), rgb("3D5E77"), rgb("74096A"), rgb("8F54AD")};
constexpr std::array<Rgba, 8> on_dark{rgb("F85474"), rgb("78A5AC"), rgb("EDDF23"), rgb("626AD1"),
                                      rgb("EDAEFF"), rgb("C78314"), rgb("D91000"), rgb("70FB87")};
constexpr ThemeColours light{rgb("FFFFFF"), rgb("171B21"), rgb("667080"), rgb("DFE3E8"), rgb("C9CFD8"), rgb("F2F4F7"),
                             rgb("DF65E2"), rgb("FBEBF8"), rgb("667080"), rgb("FFFFFF"), rgb("28303B"), rgb("2563EB"),
                             rgb("C2410C"), rgb("097C58"), rgb("7300BB"), on_light};
constexpr ThemeColours dark{rgb("1D222A"), rgb("E9ECF1"), rgb("97A1B2"), rgb("2A313C"), rgb("3C4552"), rgb("20252E"),
                            rgb("D117FB"), rgb("3A2340"), rgb("97A1B2"), rgb("1D222A"), rgb("C3CAD4"), rgb("6EA8FE"),
                            rgb("FF9A52"), rgb("3DD6A0"), rgb("B478D6"), on_dark};

float linear(std::uint8_t channel) {
  const float c = static_cast<float>(channel) / 255.0f;
  return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}
float luminance(Rgba c) { return 0.2126f * linear(c.r) + 0.7152f * linear(c.g) + 0.0722f * linear(c.b); }

std::uint8_t mix_channel(std::uint8_t from, std::uint8_t to, float share) {
  const float a = static_cast<float>(from), b = static_cast<float>(to);
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
}

}  // namespace

std::string to_hex(Rgba colour) { return formatted("#%02x%02x%02x", colour.r, colour.g, colour.b); }

Rgba mix(Rgba ground, Rgba over, float share) {
  share = std::clamp(share, 0.0f, 1.0f);
  return {mix_channel(ground.r, over.r, share), mix_channel(ground.g, over.g, share),
          mix_channel(ground.b, over.b, share), ground.a};
}

float contrast(Rgba a, Rgba b) {
  const float x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05f) / (std::min(x, y) + 0.05f);
}

Rgba ink_on(Rgba ground) {
  constexpr Rgba dark = rgb("171B21");
  constexpr Rgba light = rgb("FFFFFF");
  return contrast(ground, dark) >= contrast(ground, light) ? dark : light;
}

const ThemeColours& colours(Theme theme) { return theme == Theme::light ? light : dark; }

}  // namespace headlight
