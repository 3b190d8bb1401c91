#include "core/image/theme.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headlight {
namespace {

constexpr std::array<Rgba, 8> head_hues{rgb("0EA5E9"), rgb("E11D74"), rgb("CA8A04"), rgb("16A34A"),
                                        rgb("8B5CF6"), rgb("EA580C"), rgb("0D9488"), rgb("64748B")};
constexpr ThemeColours light{rgb("FFFFFF"), rgb("171B21"), rgb("667080"), rgb("DFE3E8"), rgb("C9CFD8"), rgb("F2F4F7"),
                             rgb("C026A8"), rgb("FBEBF8"), rgb("667080"), rgb("FFFFFF"), head_hues};
constexpr ThemeColours dark{rgb("1D222A"), rgb("E9ECF1"), rgb("97A1B2"), rgb("2A313C"), rgb("3C4552"), rgb("20252E"),
                            rgb("F07CE0"), rgb("3A2340"), rgb("97A1B2"), rgb("1D222A"), head_hues};

float linear(std::uint8_t channel) {
  const float c = static_cast<float>(channel) / 255.0f;
  return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}
float luminance(Rgba c) {
  return 0.2126f * linear(c.r) + 0.7152f * linear(c.g) + 0.0722f * linear(c.b);
}

std::uint8_t mix_channel(std::uint8_t from, std::uint8_t to, float share) {
  const float a = static_cast<float>(from), b = static_cast<float>(to);
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
}

}  // namespace

std::string to_hex(Rgba colour) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", colour.r, colour.g, colour.b);
  return text;
}

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

const ThemeColours& colours(Theme theme) {
  return theme == Theme::light ? light : dark;
}

}  // namespace headlight
