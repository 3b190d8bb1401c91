// Compares our SVG, drawn by librsvg, with our own pixels.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "core/base/image/png_image.h"
#include "tests/catch.h"
#include "tests/places.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

Image picture(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return decode_png(std::vector<std::uint8_t>{std::istreambuf_iterator<char>(stream), {}});
}

/// The mean difference over all channels, in 1/255.
double mean_difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rgba.size(); ++i) sum += std::abs(int{a.rgba[i]} - int{b.rgba[i]});
  return sum / static_cast<double>(a.rgba.size());
}

}  // namespace

TEST_CASE("librsvg draws our SVG as we draw our PNG") {
  if (std::system("rsvg-convert --version > /dev/null 2>&1") != 0) {
    WARN("skipped: no rsvg-convert");
    return;
  }
  const fs::path folder = fs::temp_directory_path() / ("headlight-svg-" + std::to_string(std::random_device{}()));
  fs::create_directories(folder);
  const auto path = [&](const char* name) { return "\"" + (folder / name).string() + "\""; };
  for (const char* figure : {"lesson:first-light --stage weights --head all --range stage",
                             "lesson:first-light --stage scores --theme dark --values",
                             "--random --queries 40 --stage output --size 480x360",
                             "lesson:first-light --stage mask --no-bar --no-tokens"}) {
    INFO(figure);
    const std::string render = "\"" + places::program() + "\" render " + std::string(figure) + " -o ";
    REQUIRE(std::system((render + path("own.png")).c_str()) == 0);
    REQUIRE(std::system((render + path("a.svg") + " --svg-text outlines").c_str()) == 0);
    REQUIRE(std::system(("rsvg-convert " + path("a.svg") + " -o " + path("other.png")).c_str()) == 0);
    const Image own = picture(folder / "own.png"), other = picture(folder / "other.png");
    REQUIRE(own.width == other.width);
    REQUIRE(own.height == other.height);
    CHECK(mean_difference(own, other) < 3);  // of 255, because edges of letters and hatching are smoothed differently
  }
  fs::remove_all(folder);
}
