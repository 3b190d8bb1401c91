// Whether colours that mean different things are told apart, also by eyes that lack a cone. Simulated after Machado,
// Oliveira and Fernandes 2009 (severity 1, on linear RGB); distances in OKLab (Ottosson 2020), where a step of 0.02 is
// just seen.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/image/theme.h"
#include "core/figures/figure/colormap.h"
#include "core/figures/figure/heatmap_raster.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

struct Eyes {
  const char* name;
  Matrix sees;
};
constexpr Eyes all_eyes[] = {
    {"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

Triple times(const Matrix& m, const Triple& v) {
  Triple out{};
  for (std::size_t r = 0; r < 3; ++r) out[r] = m[r][0] * v[0] + m[r][1] * v[1] + m[r][2] * v[2];
  return out;
}

Triple linear(Rgba c) {
  const auto channel = [](std::uint8_t byte) {
    const double x = byte / 255.0;
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return {channel(c.r), channel(c.g), channel(c.b)};
}

Triple oklab(Triple rgb) {
  for (double& x : rgb) x = std::clamp(x, 0.0, 1.0);
  Triple lms = times({{{0.4122214708, 0.5363325363, 0.0514459929},
                       {0.2119034982, 0.6806995451, 0.1073969566},
                       {0.0883024619, 0.2817188376, 0.6299787005}}},
                     rgb);
  for (double& x : lms) x = std::cbrt(x);
  return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                 {1.9779984951, -2.4285922050, 0.4505937099},
                 {0.0259040371, 0.7827717662, -0.8086757660}}},
               lms);
}

double distance(Rgba a, Rgba b, const Eyes& eyes) {
  const Triple x = oklab(times(eyes.sees, linear(a))), y = oklab(times(eyes.sees, linear(b)));
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

struct Named {
  std::string name;
  Rgba colour;
};

/// Names the pairs of colours whose distance is below `least`.
std::string too_near(const std::vector<Named>& some, const std::vector<Named>& others, double least,
                     double least_of_all_cones) {
  std::string found;
  for (const Eyes& eyes : all_eyes) {
    const double wanted = &eyes == all_eyes ? least_of_all_cones : least;
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (std::size_t j = &some == &others ? i + 1 : 0; j < others.size(); ++j) {
        const double d = distance(some[i].colour, others[j].colour, eyes);
        if (d < wanted)
          found += "\n" + some[i].name + " and " + others[j].name + " with " + eyes.name + ": " + std::to_string(d);
      }
    }
  }
  return found;
}

std::vector<Named> heads(Theme theme) {
  std::vector<Named> named;
  for (const Rgba& hue : colours(theme).heads) named.push_back({"head " + std::to_string(named.size()), hue});
  return named;
}

std::vector<Named> lanes(Theme theme) {
  const ThemeColours& c = colours(theme);
  return {{"Q", c.query}, {"K", c.key}, {"V", c.value}, {"after the softmax", c.after}};
}

}  // namespace

TEST_CASE(
    "the simulation knows whom it stands for: red and green are one to those without green cones, yellow and blue are "
    "not") {
  const Rgba red = rgb("C86432"), green = rgb("8C8C32"), yellow = rgb("E0C020"), blue = rgb("2050C0");
  CHECK(distance(red, green, all_eyes[0]) > 0.1);
  CHECK(distance(red, green, all_eyes[2]) < 0.6 * distance(red, green, all_eyes[0]));
  CHECK(distance(yellow, blue, all_eyes[2]) > 0.3);
  CHECK_FALSE(too_near({{"a", red}}, {{"b", rgb("C96533")}}, 0.02, 0.02).empty());
}

TEST_CASE("the colours of eight heads, of lanes and of NaN are distinct for every eye and in both themes") {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const std::vector<Named> eight = heads(theme), four = lanes(theme), nan{{"NaN", colours(theme).mark_line}};
    CHECK(too_near(eight, eight, 0.065, 0.12) == "");
    CHECK(too_near(eight, four, 0.06, 0.11) == "");
    CHECK(too_near(eight, nan, 0.06, 0.11) == "");
    CHECK(too_near(four, nan, 0.06, 0.1) == "");
    // The first four: orange and green look similar without red cones, where position and name distinguish them.
    CHECK(too_near(four, four, 0.035, 0.12) == "");
    for (const Named& hue : eight) CHECK(contrast(hue.colour, colours(theme).card) >= 3.0f);
  }
}

TEST_CASE("colours below and above zero, of weights, mask cells, hatching, NaN and mask differences are distinct") {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const Colormap signal = colormap("signal", theme), weights = colormap("attention", theme),
                   pair = colormap("mask pair", theme);
    for (const float share : {0.35f, 0.6f, 0.85f, 1.0f}) {
      const std::vector<Named> below{{"below zero", signal.at(0.5f - share / 2)}},
          above{{"above zero", signal.at(0.5f + share / 2)}};
      CHECK(too_near(below, above, 0.07, 0.12) == "");
    }
    const ThemeColours& c = colours(theme);
    const std::vector<Named> cells{{"may attend", c.allowed},
                                   {"only A", pair.at(0)},
                                   {"only B", pair.at(1)},
                                   {"NaN", c.mark_line},
                                   {"hatched", flat_mask(theme)}};
    CHECK(too_near(cells, cells, 0.06, 0.1) == "");
    const std::vector<Named> strong{{"a large weight", weights.at(0.75f)}},
        signs{{"below zero", signal.at(0.1f)}, {"above zero", signal.at(0.9f)}};
    CHECK(too_near(strong, signs, 0.05, 0.1) == "");
    CHECK(too_near(strong, {{"may attend", c.allowed}}, 0.05, 0.1) == "");
  }
}

TEST_CASE("a larger weight is never lighter to any eye on a light card, nor darker on a dark one") {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const Colormap weights = colormap("attention", theme);
    for (const Eyes& eyes : all_eyes) {
      double last = oklab(times(eyes.sees, linear(weights.at(0))))[0];
      for (int i = 1; i <= 20; ++i) {
        const double now = oklab(times(eyes.sees, linear(weights.at(static_cast<float>(i) / 20))))[0];
        CHECK((theme == Theme::light ? now < last : now > last));
        last = now;
      }
    }
  }
}

TEST_CASE("the window's mask and a figure's mask have the same colour, which no head has") {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    CHECK(colormap("mask", theme).at(1) == colours(theme).allowed);
    CHECK(mask_colormap(theme).at(0.5f) == colours(theme).allowed);
    CHECK(too_near(heads(theme), {{"may attend", colours(theme).allowed}}, 0.04, 0.08) == "");
  }
}
